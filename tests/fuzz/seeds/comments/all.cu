// warplens: expect sectors<=4, wavefronts == 1
#pragma unroll
x = a[i];  y = "// warplens: no"; /* warplens: ignore bank-conflict: why */
z = R"d(warplens)d" + 'c' + 1'000; // warplens: ignore uncoalesced-load, halo-access: once
// warplens expect sectors<4
