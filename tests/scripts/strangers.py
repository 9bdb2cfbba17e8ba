"""What comes to NCCL's port beside the ranks: who connects and says nothing, says something else, or knows the number and lies about sizes;
and a rank that comes twice. `./nccl late N RANK FILE` is one rank."""
import os, resource, socket, struct, subprocess, sys, time

warplens = os.environ["WARPLENS_BINARY"]
descriptors = 200
place = "id"


def rank(number, of=2, **more):
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    return subprocess.Popen([warplens, "run", "--no-progress", "./nccl", "late", str(of), str(number), place], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=limit, env={**os.environ, **more})


def said(process):
    out, err = process.communicate(timeout=100)
    assert process.returncode in (0, 5), (process.returncode, out, err)
    return out.strip()


def first(of=2):
    if os.path.exists(place):
        os.remove(place)
    process = rank(0, of)
    while not os.path.exists(place):
        time.sleep(0.1)
    _, _, _, _, port, _, hosts, secret = struct.unpack_from("<QQqiHH32s16s", open(place, "rb").read().ljust(128, b"\0"))
    return process, port, secret


def connected(port, *said):
    to = socket.create_connection(("127.0.0.1", port), timeout=20)
    for one in said:
        to.sendall(one)
    return to


def question(what, of, size, tag=5):
    return struct.pack("<IIQQQ", what, of, tag, size, 1)


join, has_joined, alive, put, take = range(5)
elsewhere = {"NCCL_HOSTID": "elsewhere"}

# More connections than there are descriptors, some of which begin to say something.
zero, port, secret = first()
crowd = [connected(port, b"x" * (i % 16)) for i in range(2 * descriptors)]
assert len(os.listdir(f"/proc/{struct.unpack_from('<q', open(place, 'rb').read(), 16)[0]}/fd")) < descriptors
wrong = connected(port, secret[:15] + bytes([secret[15] ^ 1]))
assert wrong.recv(8) == b"", "a wrong number is let in"
one = rank(1, **elsewhere)
assert (said(one), said(zero)) == ("0 2", "0 2")

# Sizes that nobody has. Whoever lies loses the connection, or is answered: there is nothing, or of another size.
zero, port, secret = first()
for what, answer in ((question(take, 0, 1 << 62), 0), (question(put, 0, 8) + b"12345678", 1), (question(take, 0, 1 << 62), 2)):
    known = connected(port, secret)
    assert struct.unpack("<Q", known.recv(8)) == (1,)
    known.sendall(what)
    assert struct.unpack("<Q", known.recv(8)) == (answer,), what
known.sendall(question(put, 0, 1 << 62) + b"x" * 1000)
known.close()
one = rank(1, **elsewhere)
assert (said(one), said(zero)) == ("0 2", "0 2")

# Rank 1 comes twice, on this machine, and from another, before rank 2 has come.
for more in ({}, elsewhere):
    zero, port, secret = first(3)
    both = [rank(1, 3), rank(1, 3, **more)]
    while all(one.poll() is None for one in both):
        time.sleep(0.1)
    both.sort(key=lambda one: one.poll() is None)
    assert said(both[0]) == "5", "rank 1 is there twice"
    two = rank(2, 3)
    assert [said(one) for one in (zero, both[1], two)] == ["0 3"] * 3
print("ok")
