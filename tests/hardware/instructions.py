#!/usr/bin/env python3
"""What single machine instructions of compute capability 9.0 compute, on a GPU and under WarpLens, bit for bit.

    instructions.py --measure SAMPLES > ROWS     on a machine with a GPU: runs each form of SAMPLES (tests/sass/data/instructions.tsv.gz)
    instructions.py ROWS                         runs the rows' instructions and names those whose results are other ones
    instructions.py ROWS --dump FILE N…          keeps the bytes that rows N… write, to be compared lane by lane

A program is one kernel: it loads every register, uniform register and predicate that the instruction names, executes the instruction, waits,
and stores them all. The code is put into instruction.cubin, which nvcc 13.0 made of instruction.cu. 16 blocks of 128 threads get numbers of 13 kinds:
random bits, special floats, doubles and halves, small integers, shifts, equal numbers. A row is: low word, high word, hash of what was written, text.
"""
import collections
import ctypes
import gzip
import hashlib
import pathlib
import re
import struct
import sys

here = pathlib.Path(__file__).resolve().parent
SIZE = 240  # instructions of a program
BLOCKS, THREADS, WORDS = 16, 128, 64
FAMILIES = set(
    """MOV UMOV SEL USEL FSEL P2R R2P PLOP3 UPLOP3 ISETP UISETP FSETP FSET DSETP PRMT UPRMT IADD3 UIADD3 IADD VIADD IMAD UIMAD IDP LEA ULEA
    LOP3 ULOP3 SHF USHF BMSK UBMSK SGXT USGXT IABS IMNMX VIMNMX UVIMNMX VIMNMX3 VIADDMNMX FLO UFLO BREV UBREV POPC UPOPC UIMNMX VABSDIFF4
    FADD FMUL FFMA FMNMX FMNMX3 MUFU FCHK DMUL DADD DFMA F2FP F2F F2I I2F FRND I2FP UI2FP HADD2 HFMA2 HMUL2 HMNMX2 HSET2 HSETP2 R2UR VOTE
    VOTEU REDUX MATCH SHFL HMMA IMMA MOVM DMMA BMMA I2I I2IP F2IP UF2I""".split()
)
PER_FORM = 3  # samples of a form whose immediates differ


# ---- code


def word(low, high, write=7, read=7, wait=0):
    """The instruction with a stall of 15 cycles, the scoreboards that it writes, and those that it waits for."""
    control = ((1 << 21) - 1) << 41
    return low, high & ~control | 15 << 41 | write << 46 | read << 49 | wait << 52


NOP = 0x7918, 0


class Program:
    def __init__(self, low, high, text):
        self.code = []
        registers, uniforms = set(), set()
        matrix = re.search(r"HMMA|IMMA|DMMA|BMMA", text)
        for letter, number in re.findall(r"\b(U?)R(\d+)\b", text):
            n = int(number)
            if letter:
                uniforms |= {n, n + 1}
            else:
                last = 15 if "DMMA" in text else 3 if matrix else 1
                registers |= {(n + i) & ~3 for i in (0, *range(3, last + 1, 4), last)}
        self.quads = sorted(r for r in registers if r < 252)
        uniforms = sorted(u for u in uniforms if u < 60)
        predicates = sorted({int(p) for p in re.findall(r"\bUP(\d)\b", text)})
        a, b, c = [q for q in range(0, 240, 4) if q not in registers][:3]
        desc, spare = [u for u in range(4, 60, 2) if u not in uniforms and u + 1 not in uniforms][:2]
        stride_in = 4 * WORDS
        self.stride = 16 * (len(self.quads) + 1 + (len(uniforms) + len(predicates) + 3) // 4)
        self.put(0x0000820000007AB9 | desc << 16, 0xA00)  # ULDC.64 desc, c[0x0][0x208]
        self.late(0x7919 | a << 16, 0x2100)  # S2R a, SR_TID.X
        self.late(0x7919 | (a + 1) << 16, 0x2500)  # S2R a+1, SR_CTAID.X
        self.put(0x8000007824 | a << 16 | (a + 1) << 24, 0x78E0200 | a)  # IMAD a, a+1, 0x80, a
        for offset, register in ((0x84, b), (0x86, b + 2), (0x88, c)):  # LDC.64: in, out, uniform
            self.late(offset << 40 | 0xFF007B82 | register << 16, 0xA00)
        for register, number, stride in ((b, a, stride_in), (b + 2, a, self.stride), (c, a + 1, 64)):  # IMAD.WIDE.U32
            self.put(0x7825 | register << 16 | number << 24 | stride << 32, 0x78E0000 | register)
        for i, u in enumerate(uniforms):
            self.load(a + 2, c, 4 * (i % 16), desc)
            self.late(0x72CA | u << 16 | (a + 2) << 24, 0xE0000)  # R2UR
        for i, p in enumerate(predicates):
            self.load(a + 2, c, 4 * (15 - i), desc)
            self.late(0x72CA | spare << 16 | (a + 2) << 24, 0xE0000)
            self.put(0x3F0000728C | spare << 24, 0xBF06270 | p << 17)  # UISETP.GE.AND p, UPT, spare, URZ, UPT
        self.load(a + 3, b, stride_in - 4, desc)
        self.put(0x7F00007804 | (a + 3) << 24, 0)  # R2P PR, a+3, 0x7f
        for i, q in enumerate(self.quads):
            self.load(q, b, 16 * i, desc, True)
        self.rest(4)
        self.put(low, high & ~(0xF << 58))
        self.rest(100 if "MATCH" in text else 30)
        self.put(0x7FFF007803 | (a + 2) << 16, 0)  # P2R a+2, PR, RZ, 0x7f
        for i, q in enumerate(self.quads):
            self.store(q, b + 2, 16 * i, desc, True)
        self.store(a + 2, b + 2, 16 * len(self.quads), desc)
        at = 16 * (len(self.quads) + 1)
        for u in uniforms:
            self.put(0x7C02 | (a + 3) << 16 | u << 32, 0x8000F00)  # MOV a+3, u
            self.store(a + 3, b + 2, at, desc)
            at += 4
        for p in predicates:
            self.put(0x13F007887 | spare << 16, 0x8000000 | p << 23)  # USEL spare, URZ, 0x1, p
            self.put(0x7C02 | (a + 3) << 16 | spare << 32, 0x8000F00)
            self.store(a + 3, b + 2, at, desc)
            at += 4
        self.put(0x794D, 0x3800000)  # EXIT
        self.put(0xFFFFFFFC00FC7947, 0x383FFFF)  # BRA itself
        assert len(self.code) <= SIZE, text
        self.rest(SIZE - len(self.code))

    def put(self, low, high, **scoreboards):
        self.code.append(word(low, high, **scoreboards))

    def rest(self, count):
        self.code += [word(*NOP)] * count

    def late(self, low, high):  # of variable latency
        self.put(low, high, write=0)
        self.put(*NOP, wait=1)

    def load(self, register, base, offset, desc, quad=False):
        self.late(0x7981 | register << 16 | base << 24 | desc << 32 | offset << 40, 0xC1E1D00 if quad else 0xC1E1900)

    def store(self, register, base, offset, desc, quad=False):
        self.put(0x7986 | base << 24 | register << 32 | offset << 40, (0xC101D00 if quad else 0xC101900) | desc, read=1)
        self.put(*NOP, wait=2)

    def bytes(self):
        return b"".join(struct.pack("<QQ", *one) for one in self.code)


def form(text):
    """The text without the numbers of registers and without immediates."""
    text = re.sub(r"\b(U?)R\d+\b", r"\1R", text)
    text = re.sub(r"\b(U?)P\d\b", r"\1P", text)
    return re.sub(r"-?0x[0-9a-f]+|-?\b\d+(\.\d+)?(e[+-]?\d+)?\b|[+-]?(QNAN|INF)\b", "#", text).replace(".reuse", "")


def samples(path):
    seen = collections.Counter()
    for line in gzip.open(path, "rt"):
        architectures, _, low, high, text = line.rstrip("\n").split("\t")
        body = re.sub(r"^@!?U?P[T\d] ", "", text)
        if "90" not in architectures.split(",") or body.split()[0].split(".")[0] not in FAMILIES:
            continue
        if "c[" in text or "cx[" in text:
            continue
        seen[form(body)] += 1
        if seen[form(body)] <= (PER_FORM if "#" in form(body) else 1):
            yield int(low, 16), int(high, 16), text


# ---- numbers


def numbers():
    """(of the lanes, of the blocks): bytes"""
    state = 12345

    def random():  # splitmix64
        nonlocal state
        state = state + 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return z ^ z >> 31

    special = [0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 1, 0x80000001, 0x007FFFFF, 0x00800000]
    special += [0x7F7FFFFF, 0xFF7FFFFF, 0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0x3EFFFFFF, 0x3F000000, 0x40200000, 0x4B800001, 0xFFFFFFFF]
    high = [0, 1 << 31, 0x3FF00000, 0xBFF00000, 0x7FF00000, 0xFFF00000, 0x7FF80000, 0x7FF00001, 0x000FFFFF, 0x00100000, 0x7FEFFFFF, 0x43E00000]
    high += [0xC3E00000, 0x41F00000, 0x41E00000, 0x3FE00000, 0x47EFFFFF, 0x36900000, 0x03810000, 0x43300000]
    half = [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 1, 0x8001, 0x3FF, 0x400, 0x7BFF, 0xFBFF, 0x3800, 0x5640, 0x3F80, 0x7F80]
    half += [0x7FC0, 0xFF80, 0x7F7F, 0x0080, 0x007F]
    last = 0

    def some(values):
        return values[random() % len(values)]

    def value(kind, odd):
        nonlocal last
        r = random()
        if kind == 0:
            return r
        if kind == 1:
            return special[r % len(special)]
        if kind == 2:
            return struct.unpack("<I", struct.pack("<f", r / 2**64 * 200 - 100))[0]
        if kind == 3:
            return r % 140 - 70
        if kind == 4:
            return some(high) if odd else (r if r % 3 == 0 else 0xFFFFFFFF if r % 3 == 1 else 0)
        if kind == 5:
            return some(half) | some(half) << 16
        if kind == 6:
            return ((1 if r % 2 else 0xFFFFFFFFFFFFFFFF) << random() % 33) - random() % 2
        if kind == 7:
            if r % 3 == 0:
                last = random()
            return last + random() % 3 - 1
        if kind == 8:
            return r & 0x800FFFFF | (983 + random() % 80) << 20 if odd else r
        if kind == 9:
            return r & 0x807FFFFF | (random() % 256) << 23
        if kind == 10:
            return (r & 0x83FF | (10 + random() % 12) << 10) << 16 | random() & 0x83FF | (10 + random() % 12) << 10
        if kind == 11:
            return r & 0x80FFFFFF | (0x3F + random() % 2) << 24
        return r % 256 * 0x01010101 ^ (random() if r % 5 == 0 else 0)

    kinds = 13
    lanes = []
    for lane in range(BLOCKS * THREADS):
        kind = lane // THREADS if lane // THREADS < kinds else random() % kinds
        lanes += [value(kind, w % 2) for w in range(WORDS - 1)] + [random()]
    blocks = [value(i // 16 % kinds, i % 2) for i in range(16 * BLOCKS)]
    return [struct.pack(f"<{len(all)}I", *(v & 0xFFFFFFFF for v in all)) for all in (lanes, blocks)]


# ---- the device


class Failed(Exception):
    pass


class Device:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.image = bytearray((here / "instruction.cubin").read_bytes())
        self.text = self.section(".text.instruction")
        self.fresh()

    def section(self, name):
        (table,) = struct.unpack_from("<Q", self.image, 40)
        count, names = struct.unpack_from("<HH", self.image, 60)
        (strings,) = struct.unpack_from("<Q", self.image, table + 64 * names + 24)
        for i in range(count):
            offset, _, _, _, at = struct.unpack_from("<IIQQQ", self.image, table + 64 * i)
            start = strings + offset
            if self.image[start : self.image.index(0, start)].decode() == name:
                return at
        raise Failed(f"instruction.cubin has no {name}")

    def call(self, name, *arguments):
        error = getattr(self.cuda, name)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(error, ctypes.byref(text))
            raise Failed((text.value or b"?").decode())

    def fresh(self):
        """A context, also after a fault."""
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxReset_v2", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        lanes, blocks = numbers() if not hasattr(self, "numbers") else self.numbers
        self.numbers = lanes, blocks
        self.room = BLOCKS * THREADS * 512
        self.buffers = [self.allocate(n) for n in (len(lanes), self.room, len(blocks))]
        for buffer, data in ((0, lanes), (2, blocks)):
            self.call("cuMemcpyHtoD_v2", self.buffers[buffer], data, ctypes.c_size_t(len(data)))

    def allocate(self, size):
        out = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(size))
        return out

    def run(self, program):
        """What the program wrote."""
        code = program.bytes()
        self.image[self.text : self.text + len(code)] = code
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), bytes(self.image))
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"instruction")
        self.call("cuMemsetD8_v2", self.buffers[1], 0, ctypes.c_size_t(self.room))
        arguments = (ctypes.c_void_p * 3)(*(ctypes.cast(ctypes.byref(b), ctypes.c_void_p) for b in self.buffers))
        self.call("cuLaunchKernel", function, BLOCKS, 1, 1, THREADS, 1, 1, 0, None, arguments, None)
        self.call("cuCtxSynchronize")
        out = ctypes.create_string_buffer(BLOCKS * THREADS * program.stride)
        self.call("cuMemcpyDtoH_v2", out, self.buffers[1], ctypes.c_size_t(len(out)))
        self.call("cuModuleUnload", module)
        return out.raw


def hash_of(data):
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def measure(path):
    device = Device()
    for low, high, text in samples(path):
        try:
            print(f"{low:x}\t{high:x}\t{hash_of(device.run(Program(low, high, text)))}\t{text}")
        except Failed as error:
            print(f"{text}: {error}", file=sys.stderr)
            device.fresh()


def main(path, dump=None, *chosen):
    device, out = Device(), open(dump, "wb") if dump else None
    counts, opener = collections.Counter(), gzip.open if path.endswith(".gz") else open
    for number, line in enumerate(opener(path, "rt")):
        if line.startswith("#") or (chosen and str(number) not in chosen):
            continue
        low, high, expected, text = line.rstrip("\n").split("\t")
        try:
            data = device.run(Program(int(low, 16), int(high, 16), text))
        except Failed as error:
            counts["not run"] += 1
            print(f"not run {number}\t{text}\t{error}")
            device.fresh()
            continue
        if out:
            out.write(struct.pack("<II", number, len(data)) + data)
        same = hash_of(data) == expected
        counts["equal" if same else "other"] += 1
        if not same:
            print(f"other {number}\t{text}")
    print(", ".join(f"{counts[k]} {k}" for k in ("equal", "other", "not run")))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--measure":
        measure(sys.argv[2])
    elif len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        main(sys.argv[1], *(a for a in sys.argv[2:] if a != "--dump"))
    else:
        sys.exit(__doc__)
