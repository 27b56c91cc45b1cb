# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch: on the CPU, on GPUs, with gradients, compiled and captured."""

import gc
import threading

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
    pytest.skip(f"PyTorch {torch.__version__} lacks DLPack's exchange API", allow_module_level=True)

import jitune  # noqa: E402

HAS_GPU = torch.cuda.is_available()
gpu = pytest.mark.skipif(not HAS_GPU, reason="there is no GPU that PyTorch can use")
DEVICES = ["cpu", pytest.param("cuda", marks=gpu)]
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


def torchs(operation, x, axis, keepdims):
    """The same by PyTorch, exact where jitune's must be."""
    axes = tuple(range(x.ndim)) if axis is None else (axis,)
    wide = x.double()
    if operation == "prod":
        for one in sorted((one % x.ndim for one in axes), reverse=True):
            wide = wide.prod(one, keepdim=keepdims)
        return wide
    if operation == "norm":
        return torch.linalg.vector_norm(wide, dim=axes, keepdim=keepdims)
    if operation in ("min", "max"):
        return getattr(wide, "a" + operation)(axes, keepdim=keepdims)
    if operation in ("argmin", "argmax"):
        return getattr(wide, operation)(axis, keepdim=keepdims)
    if operation == "count_nonzero":
        counted = torch.count_nonzero(x, axes)
        return counted.reshape([1 if i in {a % x.ndim for a in axes} else n for i, n in enumerate(x.shape)]) if keepdims else counted
    if operation in ("any", "all"):
        truth = x != 0
        for one in sorted((one % x.ndim for one in axes), reverse=True):
            truth = getattr(truth, operation)(one, keepdim=keepdims)
        return truth
    return getattr(wide, operation)(axes, keepdim=keepdims)


def dtype_of(operation, x):
    if operation in ("argmin", "argmax", "count_nonzero"):
        return torch.int64
    if operation in ("any", "all"):
        return torch.bool
    if x.dtype.is_floating_point or operation in ("min", "max"):
        return x.dtype
    return torch.float64 if operation in ("mean", "norm") else torch.int64


OPERATIONS = ["sum", "prod", "min", "max", "argmin", "argmax", "mean", "any", "all", "count_nonzero", "norm"]
# Each operation with four dtypes, each dtype with four or five operations: a kernel of each pair takes long to compile.
PAIRS = [(OPERATIONS[i], DTYPES[(3 * i + j) % len(DTYPES)]) for i in range(len(OPERATIONS)) for j in (0, 4, 6, 9)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("operation, dtype", PAIRS)
def test_reductions_are_those_of_torch(operation, dtype, device, session):
    generator = torch.Generator().manual_seed(1)
    for shape in ((), (1,), (1000,), (7, 300), (300, 7), (3, 4, 5)):
        low, high = (0, 2) if dtype in ("bool", "uint8") else (-1, 2)
        x = torch.randint(low, high, shape, generator=generator).to(getattr(torch, dtype)).to(device)
        for y in (x,) if x.ndim == 0 else (x, x.mT if x.ndim > 1 else x[::2], x[..., ::3]):
            for axis in (None,) if x.ndim == 0 else (None, 0, -1):
                for keepdims in (False, True):
                    if axis is None and operation in ("argmin", "argmax") and keepdims:
                        continue
                    expected = torchs(operation, y.contiguous(), axis, keepdims)
                    got = getattr(jitune, operation)(y, axis, keepdims=keepdims, session=session)
                    assert isinstance(got, torch.Tensor) and got.device == x.device
                    assert got.dtype == dtype_of(operation, x) and got.shape == expected.shape
                    if operation in ("argmin", "argmax"):
                        assert (got == first_extreme(operation, y, axis, keepdims)).all()
                        continue
                    torch.testing.assert_close(got.double(), expected.double(), rtol=1e-2 if "float16" in dtype else 1e-6,
                                               atol=0)


def first_extreme(operation, x, axis, keepdims):
    """The place of the first of equals, as NumPy has it; PyTorch gives any."""
    places = getattr(x.cpu().double().numpy(), operation)(axis, keepdims=keepdims)
    return torch.as_tensor(places).to(x.device)


@pytest.mark.parametrize("device", DEVICES)
def test_formulas(device, session):
    x = torch.linspace(-3, 5, 1000, device=device).reshape(10, 100)
    softmax = jitune.MapReduce("m = max(x); s = sum(exp(x - m)); y[i] = exp(x - m) / s", session)
    got = softmax(x=x)
    assert list(got) == ["m", "s", "y"] and got["y"].shape == x.shape
    assert all(one.device == x.device and one.dtype == x.dtype for one in got.values())
    assert got["m"].shape == () and got["m"].item() == 5
    torch.testing.assert_close(got["y"], torch.softmax(x.ravel(), 0).reshape(x.shape))
    place = torch.zeros((), dtype=torch.float64, device=device)
    y = torch.ones(1000, device=device)
    got = jitune.map_reduce("y[i] = y + a * s * x; rr = sum(y * y)", x=x, y=y, a=0.5, s=got["m"] / 5, out={"rr": place},
                            session=session)
    assert got["y"] is y and got["rr"] is place
    torch.testing.assert_close(y, 1 + 0.5 * x.ravel())
    torch.testing.assert_close(place, (y.double() ** 2).sum())
    assert jitune.map_reduce("any(x > 4)", x=x, session=session).dtype == torch.bool
    assert jitune.map_reduce("sum(x)", x=x[:0], session=session).item() == 0
    with pytest.raises(ValueError, match=r"no gradient, which x requires: pass x.detach\(\)"):
        softmax(x=x.clone().requires_grad_())
    with pytest.raises(ValueError, match="x must be C-contiguous"):
        softmax(x=x.T)


@pytest.mark.parametrize("device", DEVICES)
def test_formulas_of_rows(device, session):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn((4, 70, 100), generator=generator).to(device)
    gain, bias = torch.linspace(0, 1, 100, device=device), torch.linspace(-1, 1, 100, device=device)
    softmax = jitune.MapReduce("t = max(x); s = sum(exp(x - t)); y[i] = exp(x - t) / s", session)
    got = softmax(x=x, axis=-1)
    assert got["t"].shape == (4, 70) and got["t"].device == x.device and got["y"].dtype == x.dtype
    torch.testing.assert_close(got["y"], torch.softmax(x, -1))
    torch.testing.assert_close(got["t"], x.amax(-1))
    torch.testing.assert_close(softmax(x=x, axis=1)["y"], torch.softmax(x, 1))
    layer_norm = jitune.MapReduce("m = mean(x); v = mean((x - m)**2); y[i] = (x - m) * rsqrt(v + 1e-5) * gain + bias",
                                  session)
    expected = torch.nn.functional.layer_norm(x, (100,), gain, bias)
    torch.testing.assert_close(layer_norm(x=x, gain=gain, bias=bias, axis=-1)["y"], expected, rtol=1e-4, atol=1e-5)
    offsets = torch.tensor([0, 1000, 1000, 28000], device=device)
    got = jitune.map_reduce("sum(x)", x=x.ravel(), offsets=offsets, session=session)
    torch.testing.assert_close(got, torch.stack([x.ravel()[:1000].sum(), x.new_zeros(()), x.ravel()[1000:].sum()]),
                               rtol=1e-4, atol=1e-3)
    if device == "cuda":
        y, m = torch.zeros_like(x), torch.zeros((4, 70), device=device)
        handle = layer_norm.prepare(x=x, gain=gain, bias=bias, axis=-1, out={"y": y, "m": m})
        variance = torch.zeros((4, 70), device=device)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            handle(x=x, gain=gain, bias=bias, out={"y": y, "m": m, "v": variance})
        x.mul_(2)
        graph.replay()
        torch.testing.assert_close(m, x.mean(-1), rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(y, torch.nn.functional.layer_norm(x, (100,), gain, bias), rtol=1e-4, atol=1e-5)


@gpu
def test_formulas_keep_to_one_device(session):
    x, y = torch.ones(10, device="cuda"), torch.ones(10)
    with pytest.raises(ValueError, match="y and x are on different devices"):
        jitune.map_reduce("sum(x * y)", x=x, y=y, session=session)
    assert jitune.map_reduce("sum(x * k)", x=x, k=torch.tensor(2.0), session=session).item() == 20


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_without_elements(device, session):
    for shape in ((0,), (0, 3), (3, 0)):
        x = torch.zeros(shape, device=device)
        for axis in (None, 0, -1):
            got = jitune.sum(x, axis, session=session)
            expected = x.sum() if axis is None else x.sum(axis)
            assert got.shape == expected.shape and got.device == x.device and (got == expected).all()


@pytest.mark.parametrize("device", DEVICES)
def test_out_is_written(device, session):
    x = torch.arange(12.0, device=device).reshape(3, 4)
    out = torch.empty(4, device=device)
    assert jitune.sum(x, 0, out=out, session=session) is out
    assert out.tolist() == [12, 15, 18, 21]
    half = torch.empty(4, device=device, dtype=torch.float16)
    assert jitune.max(x.half(), 0, out=half, session=session) is half
    assert half.tolist() == [8, 9, 10, 11]
    for wrong in (torch.empty(3, device=device), torch.empty(4, dtype=torch.float64, device=device),
                  torch.empty(8, device=device)[::2]):
        with pytest.raises(ValueError, match="out must be"):
            jitune.sum(x, 0, out=wrong, session=session)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_results_are_not_cast(device, dtype, session, monkeypatch):
    from jitune import _helpers

    monkeypatch.setattr(_helpers, "cast", None)
    x = torch.ones((5, 300), device=device).to(getattr(torch, dtype))
    for operation in ("sum", "max", "min", "mean", "norm", "any", "argmax"):
        for axis in (0, 1):
            got = getattr(jitune, operation)(x, axis, session=session)
            if operation in ("sum", "any", "argmax"):
                expected = getattr(torch, operation)(x, axis)
                assert got.dtype == expected.dtype and (got == expected).all()
            elif operation in ("max", "min") or x.is_floating_point():
                assert got.dtype == x.dtype


@gpu
def test_an_out_elsewhere_is_refused(session):
    with pytest.raises(ValueError, match="on the device of x"):
        jitune.sum(torch.zeros(3, device="cuda"), out=torch.zeros(()), session=session)


@gpu
def test_work_is_on_the_current_stream(session):
    x = torch.zeros(1 << 24, device="cuda")
    jitune.sum(x, session=session)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.add_(1)
        total = jitune.sum(x, session=session)  # after the addition, though the default stream is free
    stream.synchronize()
    assert total.item() == 1 << 24


@gpu
def test_graphs_capture_prepared_handles(session):
    x, out = torch.zeros(1 << 20, device="cuda"), torch.zeros((), device="cuda")
    handle = jitune.prepare("sum", x, session=session)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        handle(x, out)
    for value in (1, 2):
        x.fill_(value)
        graph.replay()
        assert out.item() == value * (1 << 20)


@gpu
def test_graphs_capture_prepared_formulas(session):
    x, y = torch.zeros(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda")
    total = torch.zeros((), device="cuda")
    handle = jitune.MapReduce("y[i] = k * x; s = sum(y)", session).prepare(x=x, k=2, out={"y": y, "s": total})
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        handle(x=x, k=2, out={"y": y, "s": total})
    for value in (1, 2):
        x.fill_(value)
        graph.replay()
        assert total.item() == 2 * value * (1 << 20) and y[-1].item() == 2 * value


@pytest.mark.parametrize("device", DEVICES)
def test_bound_launches_keep_the_memory(device, session):
    x, out = torch.ones(5000, device=device), torch.zeros((), device=device)
    bound = jitune.prepare("sum", x, session=session).bind(x, out)
    assert bound() is out and out.item() == 5000
    x.data = torch.zeros(5000, device=device)  # the old memory is the handle's alone
    others = [torch.full((5000,), 7.0, device=device) for _ in range(10)]
    assert bound().item() == 5000 and len(others) == 10


@gpu
def test_results_are_of_the_allocator(session):
    x = torch.ones(1 << 20, device="cuda")
    jitune.sum(x, 0, keepdims=True, session=session)
    gc.collect()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(1000):
        jitune.sum(x.reshape(1024, 1024), 0, session=session)
    assert torch.cuda.memory_allocated() == before


@gpu
def test_stencils_entropies_and_segments(session):
    x = torch.arange(10.0, device="cuda")
    assert jitune.stencil(x, 1, session=session).tolist() == [3.0 * i for i in range(1, 9)]
    pixels = torch.zeros((30, 40), dtype=torch.uint8, device="cuda")
    assert jitune.entropy(pixels, session=session).abs().max() == 0
    offsets = torch.tensor([0, 4, 10], device="cuda")
    assert jitune.segment_reduce(x, offsets, "max", session=session).tolist() == [3, 9]
    with pytest.raises(ValueError, match="on the device of x"):
        jitune.segment_reduce(x, offsets.cpu(), session=session)


@gpu
def test_threads_with_streams_of_their_own(session):
    wrong = []

    def work(value):
        with torch.cuda.stream(torch.cuda.Stream()):
            x = torch.full((100_000,), value, device="cuda", dtype=torch.int64)
            for _ in range(200):
                total = jitune.sum(x, session=session)
                if total.item() != value * 100_000:
                    wrong.append(value)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not HAS_GPU or torch.cuda.device_count() < 2, reason="there are not two GPUs")
def test_a_tensor_of_another_gpu(session):
    x = torch.ones(5000, device="cuda:1")
    out = torch.zeros((), device="cuda:1")
    assert torch.cuda.current_device() == 0
    assert jitune.sum(x, session=session).item() == 5000
    handle = jitune.prepare("sum", x, session=session)
    assert handle(x, out).item() == 5000 and handle.info()["device"] == "cuda:1"
    assert torch.cuda.current_device() == 0


# ---- Gradients and torch.compile ----

@pytest.fixture
def standard(monkeypatch):
    """Operators use the standard session, which takes the environment when it is made: the first of these tests."""
    monkeypatch.setenv("JITUNE_DB", "none")
    monkeypatch.setenv("JITUNE_TUNE", "default")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("axis, keepdims", [(None, False), (0, False), (1, True), ((0, 2), False), (-1, False)])
@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "norm"])
def test_gradients(name, axis, keepdims, device, standard):
    x = torch.rand((3, 4, 5), device=device, dtype=torch.float64, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    dims = tuple(range(3)) if axis is None else axis
    expected = {"sum": torch.sum, "mean": torch.mean, "min": torch.amin, "max": torch.amax,
                "norm": torch.linalg.vector_norm}[name](y, dim=dims, keepdim=keepdims)
    got = getattr(jitune, name)(x, axis, keepdims=keepdims)
    torch.testing.assert_close(got, expected)
    (got ** 2).sum().backward()
    (expected ** 2).sum().backward()
    torch.testing.assert_close(x.grad, y.grad)


def test_gradients_that_there_are_not(session, standard):
    x = torch.ones(5, requires_grad=True)
    with pytest.raises(NotImplementedError, match="jitune.prod has no gradient"):
        jitune.prod(x).backward()
    assert jitune.sum(x, out=torch.zeros(()), session=session) == 5
    with pytest.raises(ValueError, match="standard session"):
        jitune.sum(x, session=session)
    with pytest.raises(ValueError, match="stencil has no gradient"):
        jitune.stencil(x, 1, session=session)
    assert jitune.argmax(x, session=session) == 0
    with torch.no_grad():
        assert jitune.sum(x, session=session) == 5


@pytest.mark.parametrize("device", DEVICES)
def test_operators(device, standard):
    import jitune.torch  # noqa: F401

    x = torch.rand((6, 7), device=device, requires_grad=True)
    for name in ("sum", "mean", "norm"):
        torch.library.opcheck(getattr(torch.ops.jitune, name).default, (x, [0]))
    for name in ("argmax", "any", "count_nonzero"):
        torch.library.opcheck(getattr(torch.ops.jitune, name).default, (x.detach(), None, True))


@pytest.mark.parametrize("device", DEVICES)
def test_compiled_functions_keep_one_graph(device, standard):
    import jitune.torch  # noqa: F401

    @torch.compile(fullgraph=True, backend="aot_eager")
    def loss(x):
        return jitune.mean(x * x, axis=0).sum() + jitune.max(x)

    for size in (3, 5, 9):  # sizes become symbols
        x = torch.rand((size, 4), device=device, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        got, expected = loss(x), (y * y).mean(0).sum() + y.max()
        torch.testing.assert_close(got, expected)
        got.backward()
        expected.backward()
        torch.testing.assert_close(x.grad, y.grad)
