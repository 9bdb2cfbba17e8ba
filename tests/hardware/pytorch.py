"""Operations of PyTorch on a CUDA device, compared with the same on the CPU.

On a GPU, under `warplens run` without one, and under a profiler, whose counters `warplens compare` then holds against WarpLens's:
    python3 tests/hardware/pytorch.py
    warplens run --json torch.json python3 tests/hardware/pytorch.py
    ncu --csv --page raw --metrics … python3 tests/hardware/pytorch.py > torch.csv
Arguments: names of operations, else all. Each line says whether the numbers agree, by how much they differ at most, and how long it took.
HARDWARE_LIBRARIES.md has what came of it.
"""
import sys
import time

import torch
import torch.nn.functional as F

torch.backends.cudnn.enabled = False  # cuDNN's kernels are not run by WarpLens
torch.backends.cuda.enable_cudnn_sdp(False)


def random(*shape):
    torch.manual_seed(len(shape))
    return torch.randn(*shape)


def gradients(loss, *tensors):
    tensors = [t.requires_grad_() for t in tensors]
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss(*tensors).sum(), tensors)])


def training(device, dtype=torch.float32):
    """The losses of three steps of a small transformer."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    model = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 2), torch.nn.Linear(64, 50)).to(device, dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x, wanted = random(4, 32, 64).to(device, dtype), (random(128).abs() * 9).long().to(device)
    losses = []
    for _ in range(3):
        loss = F.cross_entropy(model(x).view(-1, 50).float(), wanted)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def convolution(device):
    torch.manual_seed(0)
    parts = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2)
    model = torch.nn.Sequential(*parts, torch.nn.Flatten(), torch.nn.Linear(512, 10)).to(device)
    model(random(4, 3, 16, 16).to(device)).square().sum().backward()
    return model[0].weight.grad


def attention(device, dtype, causal):
    q, k, v = (t.to(device, dtype) for t in random(3, 1, 4, 128, 64))
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal).float()


def graph(device):
    x = random(64).to(device)
    if device == "cpu":
        return x * 2 + 1
    captured, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = x * 2 + 1
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(captured):
        y = x * 2 + 1
    captured.replay()
    return y


x, y, w, b = random(64, 256), random(1, 64, 256)[0], random(1, 1, 256, 256)[0, 0], random(256)
ids = (random(64).abs() * 20).long() % 64
operations = {
    "add": lambda d: x.to(d) + y.to(d),
    "half": lambda d: (x.to(d).half() * y.to(d).half()).float(),
    "bfloat16": lambda d: (x.to(d).bfloat16() + y.to(d).bfloat16()).float(),
    "functions": lambda d: torch.tanh(torch.exp(x.to(d) * 0.1)),
    "complex": lambda d: (torch.complex(x, y).to(d) ** 2).abs(),
    "fp8": lambda d: x.to(d).to(torch.float8_e4m3fn).float(),
    "where": lambda d: torch.where(x.to(d) > 0, x.to(d), y.to(d)),
    "sum": lambda d: x.to(d).sum(),
    "sum_of_columns": lambda d: x.to(d).sum(0),
    "mean_and_max": lambda d: x.to(d).mean(1) + x.to(d).amax(1),
    "argmax": lambda d: x.to(d).argmax(1),
    "softmax": lambda d: F.softmax(x.to(d), 1),
    "log_softmax": lambda d: F.log_softmax(x.to(d), 1),
    "layer_norm": lambda d: F.layer_norm(x.to(d), (256,), b.to(d), b.to(d)),
    "rms_norm": lambda d: F.rms_norm(x.to(d), (256,)),
    "group_norm": lambda d: F.group_norm(x.to(d).view(4, 16, 16, 16), 4),
    "batch_norm": lambda d: F.batch_norm(x.to(d), None, None, training=True),
    "gelu": lambda d: F.gelu(x.to(d)),
    "cross_entropy": lambda d: F.cross_entropy(x.to(d), ids.to(d)),
    "embedding": lambda d: F.embedding(ids.to(d), w.to(d)),
    "embedding_bag": lambda d: F.embedding_bag(ids.view(16, 4).to(d), w.to(d)),
    "transpose": lambda d: x.to(d).t().contiguous(),
    "concatenation": lambda d: torch.cat([x.to(d), y.to(d)], 1),
    "index": lambda d: x.to(d)[ids.to(d)],
    "index_add": lambda d: torch.zeros_like(x.to(d)).index_add(0, ids.to(d), y.to(d)),
    "running_sum": lambda d: x.to(d).cumsum(1),
    "sort_of_rows": lambda d: x.to(d).sort(1)[0],
    "sort": lambda d: x.to(d).flatten().sort()[0],
    "topk": lambda d: x.to(d).topk(5, 1)[0],
    "nonzero": lambda d: (x.to(d) > 1).nonzero(),
    "unique": lambda d: torch.unique((x.to(d) * 4).round()),
    "bincount": lambda d: torch.bincount((x.to(d).flatten().abs() * 4).long()),
    "interpolate": lambda d: F.interpolate(x.to(d).view(1, 16, 32, 32), scale_factor=2, mode="bilinear"),
    "grid_sample": lambda d: F.grid_sample(x.to(d).view(1, 16, 32, 32), y.to(d)[:1, :128].view(1, 8, 8, 2).tanh(), align_corners=False),
    "max_pool": lambda d: F.max_pool2d(x.to(d).view(1, 16, 32, 32), 2),
    "matmul": lambda d: x.to(d) @ w.to(d),
    "linear": lambda d: F.linear(x.to(d), w.to(d), b.to(d)),
    "half_matmul": lambda d: (x.to(d).half() @ w.to(d).half()).float(),
    "fft": lambda d: torch.fft.rfft(x.to(d)).abs(),
    "solve": lambda d: torch.linalg.solve(w.to(d)[:8, :8], x.to(d)[:8, :3]),
    "cholesky": lambda d: torch.linalg.cholesky((lambda a: a @ a.T + 9 * torch.eye(8))(x[:8, :8]).to(d)),
    "qr": lambda d: torch.linalg.qr(x[:8, :5].to(d))[1].abs(),
    "eigenvalues": lambda d: torch.linalg.eigvalsh((lambda a: a + a.T)(x[:40, :40]).to(d)),
    "singular_values": lambda d: torch.linalg.svdvals(x[:40, :50].to(d)),
    "small_singular_values": lambda d: torch.linalg.svdvals(x[:12, :9].to(d)),
    "eigenvalues_of_several": lambda d: torch.linalg.eigvalsh((lambda a: a + a.mT)(x[:36, :8].reshape(4, 9, 8)[:, :8]).to(d)),
    "solve_of_several": lambda d: torch.cholesky_solve(y[:8, :4].reshape(2, 4, 4).to(d), torch.linalg.cholesky((lambda a: a @ a.mT + 9 * torch.eye(4))(x[:8, :4].reshape(2, 4, 4)).to(d))),
    "sparse": lambda d: torch.sparse.mm(w.relu().to_sparse_csr().to(d), x.t().to(d)),
    "linear_backward": lambda d: gradients(lambda a, c: F.linear(a, c).square(), x.to(d), w.to(d)),
    "softmax_backward": lambda d: gradients(lambda a: F.softmax(a, 1).square(), x.to(d)),
    "layer_norm_backward": lambda d: gradients(lambda a: F.layer_norm(a, (256,), b.to(d), b.to(d)).square(), x.to(d)),
    "gelu_backward": lambda d: gradients(F.gelu, x.to(d)),
    "attention": lambda d: attention(d, torch.float32, True),
    "attention_half": lambda d: attention(d, torch.float16, False),
    "attention_bfloat16": lambda d: attention(d, torch.bfloat16, True),
    "convolution": convolution,
    "training": training,
    "training_bfloat16": lambda d: training(d, torch.bfloat16),
    "graph": graph,
    "random": lambda d: (torch.randn(10000, device=d).std() - 1).abs() < 0.05,
    "dropout": lambda d: ((F.dropout(x.to(d), 0.5) == 0).float().mean() - 0.5).abs() < 0.05,
}

wrong = 0
for name in sys.argv[1:] or operations:
    begin = time.time()
    try:
        there, here = operations[name]("cuda").cpu().double(), operations[name]("cpu").double()
        error = float((there - here).abs().max()) if there.shape == here.shape else float("inf")
        coarse = any(word in name for word in ("half", "float16"))
        good = error <= (5e-2 if coarse else 1e-4) * max(float(here.abs().max()), 1)
        print(f"{name:22} {'equal' if good else 'DIFFERENT'} {error:.1e} {time.time() - begin:.2f} s", flush=True)
    except Exception as problem:  # what the device refuses is a result
        good = False
        print(f"{name:22} FAILED {str(problem).splitlines()[0][:300]}", flush=True)
    wrong += not good
print(f"{wrong} of {len(sys.argv[1:] or operations)} wrong")
sys.exit(wrong != 0)
