// Corners of PTX that no C++ function reaches, printed so that a GPU's words and WarpLens's can be compared line by line: SIMD video
// instructions with elements and masks, alloca, texels added to coordinates, and with DEPTH set a depth to compare with. What an
// H200 gave to the first is tests/sim/data/video_h200.txt.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <vector>
#include <alloca.h>
#define OK(x) do{cudaError_t err_=(x); if(err_!=cudaSuccess){printf("error %s line %d\n",cudaGetErrorString(err_),__LINE__);return 1;}}while(0)

__global__ void video(const uint32_t* in, uint32_t* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], d;
  asm("vadd2.s32.u32.s32.add %0.h0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[0 * n + i] = d;
  asm("vadd2.u32.u32.s32.add %0.h0, %1.h10, %2.h03, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[1 * n + i] = d;
  asm("vadd2.s32.u32.u32 %0, %1.h00, %2.h10, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[2 * n + i] = d;
  asm("vadd2.s32.u32.u32 %0.h1, %1.h23, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[3 * n + i] = d;
  asm("vadd2.u32.u32.s32.add %0.h1, %1, %2.h01, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[4 * n + i] = d;
  asm("vadd2.s32.u32.u32.add %0.h0, %1.h13, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[5 * n + i] = d;
  asm("vadd2.s32.s32.s32.sat %0.h1, %1.h11, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[6 * n + i] = d;
  asm("vadd2.u32.s32.s32.sat %0, %1.h20, %2.h03, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[7 * n + i] = d;
  asm("vsub2.u32.s32.u32.sat %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[8 * n + i] = d;
  asm("vsub2.u32.u32.s32.sat %0.h10, %1.h33, %2.h00, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[9 * n + i] = d;
  asm("vsub2.s32.s32.u32 %0.h10, %1.h32, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[10 * n + i] = d;
  asm("vsub2.u32.s32.s32 %0.h0, %1.h30, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[11 * n + i] = d;
  asm("vsub2.u32.s32.u32.add %0.h1, %1, %2.h33, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[12 * n + i] = d;
  asm("vsub2.s32.u32.u32.sat %0, %1.h21, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[13 * n + i] = d;
  asm("vsub2.s32.s32.s32 %0.h1, %1.h01, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[14 * n + i] = d;
  asm("vsub2.u32.u32.u32 %0, %1.h12, %2.h20, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[15 * n + i] = d;
  asm("vavrg2.u32.s32.s32.add %0.h10, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[16 * n + i] = d;
  asm("vavrg2.u32.u32.s32.add %0, %1.h33, %2.h30, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[17 * n + i] = d;
  asm("vavrg2.s32.s32.u32 %0.h0, %1.h13, %2.h10, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[18 * n + i] = d;
  asm("vavrg2.s32.u32.u32 %0.h1, %1.h02, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[19 * n + i] = d;
  asm("vavrg2.u32.u32.u32.add %0, %1, %2.h12, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[20 * n + i] = d;
  asm("vavrg2.s32.s32.s32 %0.h0, %1.h33, %2.h33, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[21 * n + i] = d;
  asm("vavrg2.s32.u32.u32 %0.h10, %1.h23, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[22 * n + i] = d;
  asm("vavrg2.u32.u32.u32.add %0.h10, %1.h10, %2.h20, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[23 * n + i] = d;
  asm("vabsdiff2.s32.s32.u32.sat %0.h1, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[24 * n + i] = d;
  asm("vabsdiff2.s32.u32.u32 %0, %1.h11, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[25 * n + i] = d;
  asm("vabsdiff2.u32.u32.s32.sat %0.h10, %1.h12, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[26 * n + i] = d;
  asm("vabsdiff2.s32.u32.u32 %0.h1, %1.h31, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[27 * n + i] = d;
  asm("vabsdiff2.s32.u32.s32.add %0.h0, %1, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[28 * n + i] = d;
  asm("vabsdiff2.u32.u32.s32.add %0.h1, %1.h31, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[29 * n + i] = d;
  asm("vabsdiff2.u32.s32.s32.sat %0.h0, %1.h11, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[30 * n + i] = d;
  asm("vabsdiff2.u32.u32.u32.add %0, %1.h13, %2.h21, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[31 * n + i] = d;
  asm("vmin2.u32.u32.u32.add %0.h0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[32 * n + i] = d;
  asm("vmin2.u32.s32.u32 %0.h0, %1.h21, %2.h21, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[33 * n + i] = d;
  asm("vmin2.s32.s32.s32 %0.h0, %1.h23, %2.h31, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[34 * n + i] = d;
  asm("vmin2.u32.u32.s32 %0.h0, %1.h11, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[35 * n + i] = d;
  asm("vmin2.u32.s32.u32.add %0.h0, %1, %2.h23, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[36 * n + i] = d;
  asm("vmin2.u32.u32.u32 %0.h10, %1.h00, %2.h30, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[37 * n + i] = d;
  asm("vmin2.u32.s32.s32.add %0.h1, %1.h23, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[38 * n + i] = d;
  asm("vmin2.s32.u32.s32.add %0.h1, %1.h31, %2.h30, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[39 * n + i] = d;
  asm("vmax2.s32.s32.s32 %0.h1, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[40 * n + i] = d;
  asm("vmax2.s32.u32.u32.add %0.h10, %1.h01, %2.h21, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[41 * n + i] = d;
  asm("vmax2.s32.u32.s32 %0.h0, %1.h33, %2.h11, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[42 * n + i] = d;
  asm("vmax2.u32.s32.s32.sat %0, %1.h12, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[43 * n + i] = d;
  asm("vmax2.s32.u32.s32 %0.h10, %1, %2.h33, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[44 * n + i] = d;
  asm("vmax2.u32.s32.s32.add %0.h10, %1.h00, %2.h10, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[45 * n + i] = d;
  asm("vmax2.u32.s32.s32 %0.h1, %1.h21, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[46 * n + i] = d;
  asm("vmax2.s32.s32.s32 %0, %1.h20, %2.h20, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[47 * n + i] = d;
  asm("vset2.u32.s32.eq %0.h0, %1.h20, %2.h02, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[48 * n + i] = d;
  asm("vset2.u32.u32.eq.add %0.h0, %1.h20, %2.h30, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[49 * n + i] = d;
  asm("vset2.s32.s32.ne %0.h1, %1.h10, %2.h10, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[50 * n + i] = d;
  asm("vset2.u32.s32.ne.add %0.h0, %1.h11, %2.h22, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[51 * n + i] = d;
  asm("vset2.u32.s32.lt %0.h1, %1.h12, %2.h20, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[52 * n + i] = d;
  asm("vset2.s32.u32.lt.add %0.h0, %1.h01, %2.h31, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[53 * n + i] = d;
  asm("vset2.s32.u32.le %0.h10, %1.h33, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[54 * n + i] = d;
  asm("vset2.u32.u32.le.add %0.h1, %1.h11, %2.h32, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[55 * n + i] = d;
  asm("vset2.u32.u32.gt %0.h0, %1.h02, %2.h31, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[56 * n + i] = d;
  asm("vset2.u32.u32.gt.add %0.h10, %1.h32, %2.h12, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[57 * n + i] = d;
  asm("vset2.u32.s32.ge %0.h0, %1.h12, %2.h30, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[58 * n + i] = d;
  asm("vset2.s32.s32.ge.add %0.h1, %1.h21, %2.h02, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[59 * n + i] = d;
  asm("vadd4.u32.s32.u32 %0.b310, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[60 * n + i] = d;
  asm("vadd4.s32.u32.s32.sat %0.b210, %1.b3014, %2.b1260, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[61 * n + i] = d;
  asm("vadd4.s32.u32.s32.sat %0.b3, %1.b1265, %2.b7242, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[62 * n + i] = d;
  asm("vadd4.u32.s32.u32.add %0.b0, %1.b3100, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[63 * n + i] = d;
  asm("vadd4.u32.s32.u32.sat %0.b3210, %1, %2.b0037, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[64 * n + i] = d;
  asm("vadd4.s32.u32.s32 %0.b10, %1.b1741, %2.b4333, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[65 * n + i] = d;
  asm("vadd4.s32.s32.s32 %0, %1.b4031, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[66 * n + i] = d;
  asm("vadd4.u32.s32.s32.add %0.b31, %1.b2070, %2.b7413, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[67 * n + i] = d;
  asm("vsub4.s32.s32.s32.sat %0.b3210, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[68 * n + i] = d;
  asm("vsub4.s32.u32.u32.sat %0.b10, %1.b7047, %2.b1746, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[69 * n + i] = d;
  asm("vsub4.u32.u32.u32.add %0.b10, %1.b2452, %2.b4153, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[70 * n + i] = d;
  asm("vsub4.s32.s32.s32 %0.b21, %1.b0776, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[71 * n + i] = d;
  asm("vsub4.s32.u32.s32.sat %0.b320, %1, %2.b5150, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[72 * n + i] = d;
  asm("vsub4.s32.s32.s32 %0.b210, %1.b0445, %2.b1661, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[73 * n + i] = d;
  asm("vsub4.s32.s32.s32 %0.b30, %1.b1042, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[74 * n + i] = d;
  asm("vsub4.u32.s32.s32.add %0.b310, %1.b3560, %2.b6310, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[75 * n + i] = d;
  asm("vavrg4.s32.s32.u32.add %0.b31, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[76 * n + i] = d;
  asm("vavrg4.s32.u32.u32 %0, %1.b6544, %2.b4463, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[77 * n + i] = d;
  asm("vavrg4.s32.s32.s32 %0.b21, %1.b2137, %2.b3757, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[78 * n + i] = d;
  asm("vavrg4.s32.u32.u32 %0.b10, %1.b2515, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[79 * n + i] = d;
  asm("vavrg4.u32.s32.s32.add %0.b210, %1, %2.b0666, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[80 * n + i] = d;
  asm("vavrg4.u32.s32.s32.sat %0.b1, %1.b7452, %2.b3143, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[81 * n + i] = d;
  asm("vavrg4.s32.s32.s32.sat %0.b31, %1.b0206, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[82 * n + i] = d;
  asm("vavrg4.s32.s32.u32 %0.b320, %1.b7731, %2.b3221, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[83 * n + i] = d;
  asm("vabsdiff4.s32.u32.u32 %0.b20, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[84 * n + i] = d;
  asm("vabsdiff4.u32.u32.s32 %0.b30, %1.b6111, %2.b4364, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[85 * n + i] = d;
  asm("vabsdiff4.u32.u32.u32.add %0.b31, %1.b7453, %2.b7330, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[86 * n + i] = d;
  asm("vabsdiff4.s32.s32.u32 %0.b210, %1.b7614, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[87 * n + i] = d;
  asm("vabsdiff4.u32.s32.s32 %0, %1, %2.b0565, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[88 * n + i] = d;
  asm("vabsdiff4.s32.u32.u32.sat %0.b10, %1.b3734, %2.b3373, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[89 * n + i] = d;
  asm("vabsdiff4.s32.s32.u32.add %0, %1.b2376, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[90 * n + i] = d;
  asm("vabsdiff4.u32.u32.s32 %0.b210, %1.b0260, %2.b0267, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[91 * n + i] = d;
  asm("vmin4.s32.u32.u32 %0.b310, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[92 * n + i] = d;
  asm("vmin4.u32.u32.s32 %0.b31, %1.b6557, %2.b2101, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[93 * n + i] = d;
  asm("vmin4.s32.u32.s32.sat %0.b2, %1.b3654, %2.b6107, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[94 * n + i] = d;
  asm("vmin4.u32.s32.s32 %0.b310, %1.b5706, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[95 * n + i] = d;
  asm("vmin4.u32.s32.u32.sat %0.b1, %1, %2.b7104, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[96 * n + i] = d;
  asm("vmin4.u32.u32.s32.sat %0.b30, %1.b5045, %2.b4401, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[97 * n + i] = d;
  asm("vmin4.u32.u32.u32.sat %0.b3210, %1.b6467, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[98 * n + i] = d;
  asm("vmin4.u32.s32.u32 %0.b31, %1.b2355, %2.b7513, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[99 * n + i] = d;
  asm("vmax4.s32.u32.u32.sat %0.b10, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[100 * n + i] = d;
  asm("vmax4.u32.s32.s32 %0.b321, %1.b1141, %2.b3167, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[101 * n + i] = d;
  asm("vmax4.s32.u32.u32 %0.b321, %1.b7314, %2.b4445, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[102 * n + i] = d;
  asm("vmax4.s32.s32.u32.sat %0.b3, %1.b2332, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[103 * n + i] = d;
  asm("vmax4.s32.u32.s32 %0.b320, %1, %2.b4331, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[104 * n + i] = d;
  asm("vmax4.s32.u32.u32 %0, %1.b3750, %2.b4310, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[105 * n + i] = d;
  asm("vmax4.u32.u32.u32.sat %0.b21, %1.b7401, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[106 * n + i] = d;
  asm("vmax4.s32.u32.u32.sat %0.b310, %1.b2034, %2.b0305, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[107 * n + i] = d;
  asm("vset4.s32.s32.eq %0.b10, %1.b4130, %2.b7716, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[108 * n + i] = d;
  asm("vset4.u32.s32.eq.add %0.b310, %1.b2126, %2.b4644, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[109 * n + i] = d;
  asm("vset4.s32.u32.ne %0.b20, %1.b5660, %2.b5366, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[110 * n + i] = d;
  asm("vset4.u32.u32.ne.add %0.b210, %1.b2611, %2.b6572, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[111 * n + i] = d;
  asm("vset4.u32.u32.lt %0.b0, %1.b2615, %2.b2254, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[112 * n + i] = d;
  asm("vset4.u32.u32.lt.add %0.b3210, %1.b1167, %2.b3420, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[113 * n + i] = d;
  asm("vset4.s32.s32.le %0.b0, %1.b6123, %2.b6372, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[114 * n + i] = d;
  asm("vset4.u32.u32.le.add %0.b210, %1.b2651, %2.b2330, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[115 * n + i] = d;
  asm("vset4.u32.s32.gt %0.b1, %1.b6746, %2.b4366, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[116 * n + i] = d;
  asm("vset4.s32.s32.gt.add %0.b30, %1.b7200, %2.b7737, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[117 * n + i] = d;
  asm("vset4.s32.u32.ge %0.b320, %1.b7611, %2.b2565, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[118 * n + i] = d;
  asm("vset4.u32.s32.ge.add %0.b30, %1.b0021, %2.b5106, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[119 * n + i] = d;
  asm("vadd.u32.u32.u32.add %0, %1.h1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[120 * n + i] = d;
  asm("vadd.u32.s32.s32 %0.b3, %1.b0, %2.b1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[121 * n + i] = d;
  asm("vadd.s32.u32.s32.min %0, %1.h1, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[122 * n + i] = d;
  asm("vadd.u32.s32.s32 %0.b3, %1.b0, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[123 * n + i] = d;
  asm("vadd.s32.u32.u32.add %0, %1.b0, %2.h1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[124 * n + i] = d;
  asm("vadd.s32.s32.s32 %0.h1, %1.b0, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[125 * n + i] = d;
  asm("vsub.u32.s32.s32.min %0, %1.h1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[126 * n + i] = d;
  asm("vsub.s32.s32.s32 %0.b3, %1.h0, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[127 * n + i] = d;
  asm("vsub.s32.u32.s32.max %0, %1.b0, %2.b1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[128 * n + i] = d;
  asm("vsub.u32.s32.s32 %0.h1, %1.b3, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[129 * n + i] = d;
  asm("vsub.u32.u32.u32.min %0, %1.b3, %2.h1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[130 * n + i] = d;
  asm("vsub.s32.u32.u32 %0.b0, %1.h0, %2.b1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[131 * n + i] = d;
  asm("vabsdiff.u32.u32.s32.max %0, %1.b3, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[132 * n + i] = d;
  asm("vabsdiff.s32.u32.s32 %0.b0, %1.h1, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[133 * n + i] = d;
  asm("vabsdiff.s32.s32.u32.add %0, %1.b0, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[134 * n + i] = d;
  asm("vabsdiff.u32.s32.u32.sat %0.b3, %1, %2.b1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[135 * n + i] = d;
  asm("vabsdiff.s32.u32.u32.max %0, %1.h1, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[136 * n + i] = d;
  asm("vabsdiff.s32.s32.u32 %0.b0, %1.b0, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[137 * n + i] = d;
  asm("vmin.u32.s32.u32.add %0, %1.b0, %2.b1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[138 * n + i] = d;
  asm("vmin.u32.u32.u32 %0.h1, %1.b0, %2.h1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[139 * n + i] = d;
  asm("vmin.s32.u32.s32.max %0, %1, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[140 * n + i] = d;
  asm("vmin.u32.s32.u32.sat %0.b0, %1.h0, %2.h1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[141 * n + i] = d;
  asm("vmin.s32.u32.u32.add %0, %1, %2.b2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[142 * n + i] = d;
  asm("vmin.u32.u32.s32.sat %0.h1, %1.b3, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[143 * n + i] = d;
  asm("vmax.s32.s32.s32.max %0, %1.b0, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[144 * n + i] = d;
  asm("vmax.u32.u32.s32 %0.h1, %1.b0, %2.b1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[145 * n + i] = d;
  asm("vmax.s32.u32.s32.min %0, %1.b3, %2.b1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[146 * n + i] = d;
  asm("vmax.s32.s32.u32 %0.h1, %1, %2.h1, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[147 * n + i] = d;
  asm("vmax.s32.u32.s32.max %0, %1.h1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[148 * n + i] = d;
  asm("vmax.u32.u32.u32 %0.h1, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); o[149 * n + i] = d;
}
const char* video_names[] = {"vadd2.s32.u32.s32.add d.h0 a b", "vadd2.u32.u32.s32.add d.h0 a.h10 b.h03", "vadd2.s32.u32.u32 d a.h00 b.h10", "vadd2.s32.u32.u32 d.h1 a.h23 b", "vadd2.u32.u32.s32.add d.h1 a b.h01", "vadd2.s32.u32.u32.add d.h0 a.h13 b.h32", "vadd2.s32.s32.s32.sat d.h1 a.h11 b", "vadd2.u32.s32.s32.sat d a.h20 b.h03", "vsub2.u32.s32.u32.sat d a b", "vsub2.u32.u32.s32.sat d.h10 a.h33 b.h00", "vsub2.s32.s32.u32 d.h10 a.h32 b.h32", "vsub2.u32.s32.s32 d.h0 a.h30 b", "vsub2.u32.s32.u32.add d.h1 a b.h33", "vsub2.s32.u32.u32.sat d a.h21 b.h32", "vsub2.s32.s32.s32 d.h1 a.h01 b", "vsub2.u32.u32.u32 d a.h12 b.h20", "vavrg2.u32.s32.s32.add d.h10 a b", "vavrg2.u32.u32.s32.add d a.h33 b.h30", "vavrg2.s32.s32.u32 d.h0 a.h13 b.h10", "vavrg2.s32.u32.u32 d.h1 a.h02 b", "vavrg2.u32.u32.u32.add d a b.h12", "vavrg2.s32.s32.s32 d.h0 a.h33 b.h33", "vavrg2.s32.u32.u32 d.h10 a.h23 b", "vavrg2.u32.u32.u32.add d.h10 a.h10 b.h20", "vabsdiff2.s32.s32.u32.sat d.h1 a b", "vabsdiff2.s32.u32.u32 d a.h11 b.h32", "vabsdiff2.u32.u32.s32.sat d.h10 a.h12 b.h32", "vabsdiff2.s32.u32.u32 d.h1 a.h31 b", "vabsdiff2.s32.u32.s32.add d.h0 a b.h32", "vabsdiff2.u32.u32.s32.add d.h1 a.h31 b.h32", "vabsdiff2.u32.s32.s32.sat d.h0 a.h11 b", "vabsdiff2.u32.u32.u32.add d a.h13 b.h21", "vmin2.u32.u32.u32.add d.h0 a b", "vmin2.u32.s32.u32 d.h0 a.h21 b.h21", "vmin2.s32.s32.s32 d.h0 a.h23 b.h31", "vmin2.u32.u32.s32 d.h0 a.h11 b", "vmin2.u32.s32.u32.add d.h0 a b.h23", "vmin2.u32.u32.u32 d.h10 a.h00 b.h30", "vmin2.u32.s32.s32.add d.h1 a.h23 b", "vmin2.s32.u32.s32.add d.h1 a.h31 b.h30", "vmax2.s32.s32.s32 d.h1 a b", "vmax2.s32.u32.u32.add d.h10 a.h01 b.h21", "vmax2.s32.u32.s32 d.h0 a.h33 b.h11", "vmax2.u32.s32.s32.sat d a.h12 b", "vmax2.s32.u32.s32 d.h10 a b.h33", "vmax2.u32.s32.s32.add d.h10 a.h00 b.h10", "vmax2.u32.s32.s32 d.h1 a.h21 b", "vmax2.s32.s32.s32 d a.h20 b.h20", "vset2.u32.s32.eq d.h0 a.h20 b.h02", "vset2.u32.u32.eq.add d.h0 a.h20 b.h30", "vset2.s32.s32.ne d.h1 a.h10 b.h10", "vset2.u32.s32.ne.add d.h0 a.h11 b.h22", "vset2.u32.s32.lt d.h1 a.h12 b.h20", "vset2.s32.u32.lt.add d.h0 a.h01 b.h31", "vset2.s32.u32.le d.h10 a.h33 b.h32", "vset2.u32.u32.le.add d.h1 a.h11 b.h32", "vset2.u32.u32.gt d.h0 a.h02 b.h31", "vset2.u32.u32.gt.add d.h10 a.h32 b.h12", "vset2.u32.s32.ge d.h0 a.h12 b.h30", "vset2.s32.s32.ge.add d.h1 a.h21 b.h02", "vadd4.u32.s32.u32 d.b310 a b", "vadd4.s32.u32.s32.sat d.b210 a.b3014 b.b1260", "vadd4.s32.u32.s32.sat d.b3 a.b1265 b.b7242", "vadd4.u32.s32.u32.add d.b0 a.b3100 b", "vadd4.u32.s32.u32.sat d.b3210 a b.b0037", "vadd4.s32.u32.s32 d.b10 a.b1741 b.b4333", "vadd4.s32.s32.s32 d a.b4031 b", "vadd4.u32.s32.s32.add d.b31 a.b2070 b.b7413", "vsub4.s32.s32.s32.sat d.b3210 a b", "vsub4.s32.u32.u32.sat d.b10 a.b7047 b.b1746", "vsub4.u32.u32.u32.add d.b10 a.b2452 b.b4153", "vsub4.s32.s32.s32 d.b21 a.b0776 b", "vsub4.s32.u32.s32.sat d.b320 a b.b5150", "vsub4.s32.s32.s32 d.b210 a.b0445 b.b1661", "vsub4.s32.s32.s32 d.b30 a.b1042 b", "vsub4.u32.s32.s32.add d.b310 a.b3560 b.b6310", "vavrg4.s32.s32.u32.add d.b31 a b", "vavrg4.s32.u32.u32 d a.b6544 b.b4463", "vavrg4.s32.s32.s32 d.b21 a.b2137 b.b3757", "vavrg4.s32.u32.u32 d.b10 a.b2515 b", "vavrg4.u32.s32.s32.add d.b210 a b.b0666", "vavrg4.u32.s32.s32.sat d.b1 a.b7452 b.b3143", "vavrg4.s32.s32.s32.sat d.b31 a.b0206 b", "vavrg4.s32.s32.u32 d.b320 a.b7731 b.b3221", "vabsdiff4.s32.u32.u32 d.b20 a b", "vabsdiff4.u32.u32.s32 d.b30 a.b6111 b.b4364", "vabsdiff4.u32.u32.u32.add d.b31 a.b7453 b.b7330", "vabsdiff4.s32.s32.u32 d.b210 a.b7614 b", "vabsdiff4.u32.s32.s32 d a b.b0565", "vabsdiff4.s32.u32.u32.sat d.b10 a.b3734 b.b3373", "vabsdiff4.s32.s32.u32.add d a.b2376 b", "vabsdiff4.u32.u32.s32 d.b210 a.b0260 b.b0267", "vmin4.s32.u32.u32 d.b310 a b", "vmin4.u32.u32.s32 d.b31 a.b6557 b.b2101", "vmin4.s32.u32.s32.sat d.b2 a.b3654 b.b6107", "vmin4.u32.s32.s32 d.b310 a.b5706 b", "vmin4.u32.s32.u32.sat d.b1 a b.b7104", "vmin4.u32.u32.s32.sat d.b30 a.b5045 b.b4401", "vmin4.u32.u32.u32.sat d.b3210 a.b6467 b", "vmin4.u32.s32.u32 d.b31 a.b2355 b.b7513", "vmax4.s32.u32.u32.sat d.b10 a b", "vmax4.u32.s32.s32 d.b321 a.b1141 b.b3167", "vmax4.s32.u32.u32 d.b321 a.b7314 b.b4445", "vmax4.s32.s32.u32.sat d.b3 a.b2332 b", "vmax4.s32.u32.s32 d.b320 a b.b4331", "vmax4.s32.u32.u32 d a.b3750 b.b4310", "vmax4.u32.u32.u32.sat d.b21 a.b7401 b", "vmax4.s32.u32.u32.sat d.b310 a.b2034 b.b0305", "vset4.s32.s32.eq d.b10 a.b4130 b.b7716", "vset4.u32.s32.eq.add d.b310 a.b2126 b.b4644", "vset4.s32.u32.ne d.b20 a.b5660 b.b5366", "vset4.u32.u32.ne.add d.b210 a.b2611 b.b6572", "vset4.u32.u32.lt d.b0 a.b2615 b.b2254", "vset4.u32.u32.lt.add d.b3210 a.b1167 b.b3420", "vset4.s32.s32.le d.b0 a.b6123 b.b6372", "vset4.u32.u32.le.add d.b210 a.b2651 b.b2330", "vset4.u32.s32.gt d.b1 a.b6746 b.b4366", "vset4.s32.s32.gt.add d.b30 a.b7200 b.b7737", "vset4.s32.u32.ge d.b320 a.b7611 b.b2565", "vset4.u32.s32.ge.add d.b30 a.b0021 b.b5106", "vadd.u32.u32.u32.add d a.h1 b", "vadd.u32.s32.s32 d.b3 a.b0 b.b1", "vadd.s32.u32.s32.min d a.h1 b.b2", "vadd.u32.s32.s32 d.b3 a.b0 b.b2", "vadd.s32.u32.u32.add d a.b0 b.h1", "vadd.s32.s32.s32 d.h1 a.b0 b.b2", "vsub.u32.s32.s32.min d a.h1 b", "vsub.s32.s32.s32 d.b3 a.h0 b.b2", "vsub.s32.u32.s32.max d a.b0 b.b1", "vsub.u32.s32.s32 d.h1 a.b3 b.b2", "vsub.u32.u32.u32.min d a.b3 b.h1", "vsub.s32.u32.u32 d.b0 a.h0 b.b1", "vabsdiff.u32.u32.s32.max d a.b3 b", "vabsdiff.s32.u32.s32 d.b0 a.h1 b.b2", "vabsdiff.s32.s32.u32.add d a.b0 b", "vabsdiff.u32.s32.u32.sat d.b3 a b.b1", "vabsdiff.s32.u32.u32.max d a.h1 b.b2", "vabsdiff.s32.s32.u32 d.b0 a.b0 b", "vmin.u32.s32.u32.add d a.b0 b.b1", "vmin.u32.u32.u32 d.h1 a.b0 b.h1", "vmin.s32.u32.s32.max d a b.b2", "vmin.u32.s32.u32.sat d.b0 a.h0 b.h1", "vmin.s32.u32.u32.add d a b.b2", "vmin.u32.u32.s32.sat d.h1 a.b3 b", "vmax.s32.s32.s32.max d a.b0 b", "vmax.u32.u32.s32 d.h1 a.b0 b.b1", "vmax.s32.u32.s32.min d a.b3 b.b1", "vmax.s32.s32.u32 d.h1 a b.h1", "vmax.s32.u32.s32.max d a.h1 b", "vmax.u32.u32.u32 d.h1 a b"};
__global__ void fetch1(unsigned long long t, const float* at, float4* o, int n, int w, float scale) {
  int i = threadIdx.x;
  if (i >= n) return;
  float x = at[3*i]*scale, y = at[3*i+1]*scale, z = at[3*i+2]*scale, r0, r1, r2, r3;
  if (scale == 1) { } 
  asm volatile("tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5}];" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[0*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5}], {-8};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[1*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5}], {-1};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[2*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5}], {3};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[3*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5}], {7};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[4*n+i] = make_float4(r0,r1,r2,r3);
}
const char* names1[] = {"tex.1d ", "tex.1d -8", "tex.1d -1", "tex.1d 3", "tex.1d 7"};
__global__ void fetch2(unsigned long long t, const float* at, float4* o, int n, int w, float scale) {
  int i = threadIdx.x;
  if (i >= n) return;
  float x = at[3*i]*scale, y = at[3*i+1]*scale, z = at[3*i+2]*scale, r0, r1, r2, r3;
  if (scale == 1) { } 
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[0*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-8,7};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[1*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {1,-1};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[2*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {0,5};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[3*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-3,-2};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[4*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[5*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-8,7};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[6*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {1,-1};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[7*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {0,5};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[8*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-3,-2};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[9*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.g.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[10*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.g.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-8,7};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[11*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.g.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {1,-1};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[12*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.g.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {0,5};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[13*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.g.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-3,-2};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[14*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.b.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[15*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.b.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-8,7};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[16*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.b.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {1,-1};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[17*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.b.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {0,5};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[18*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.b.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-3,-2};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[19*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.a.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[20*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.a.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-8,7};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[21*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.a.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {1,-1};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[22*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.a.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {0,5};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[23*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.a.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-3,-2};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[24*n+i] = make_float4(r0,r1,r2,r3);
}
const char* names2[] = {"tex.2d ", "tex.2d {-8,7}", "tex.2d {1,-1}", "tex.2d {0,5}", "tex.2d {-3,-2}", "tld4.r ", "tld4.r {-8,7}", "tld4.r {1,-1}", "tld4.r {0,5}", "tld4.r {-3,-2}", "tld4.g ", "tld4.g {-8,7}", "tld4.g {1,-1}", "tld4.g {0,5}", "tld4.g {-3,-2}", "tld4.b ", "tld4.b {-8,7}", "tld4.b {1,-1}", "tld4.b {0,5}", "tld4.b {-3,-2}", "tld4.a ", "tld4.a {-8,7}", "tld4.a {1,-1}", "tld4.a {0,5}", "tld4.a {-3,-2}"};
__global__ void fetch3(unsigned long long t, const float* at, float4* o, int n, int w, float scale) {
  int i = threadIdx.x;
  if (i >= n) return;
  float x = at[3*i]*scale, y = at[3*i+1]*scale, z = at[3*i+2]*scale, r0, r1, r2, r3;
  if (scale == 1) { } 
  asm volatile("tex.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[0*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {-1,2,1,0};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[1*n+i] = make_float4(r0,r1,r2,r3);
  asm volatile("tex.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {3,-8,7,0};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(z)); o[2*n+i] = make_float4(r0,r1,r2,r3);
}
const char* names3[] = {"tex.3d ", "tex.3d {-1,2,1,0}", "tex.3d {3,-8,7,0}"};
__global__ void whole(unsigned long long t, const int* at, float4* o, int n) {
  int i = threadIdx.x; if (i >= n) return; float r0,r1,r2,r3; int x = at[2*i], y = at[2*i+1];
  asm volatile("tex.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}], {2,-3};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"r"(x),"r"(y));
  o[i] = make_float4(r0,r1,r2,r3);
}
__global__ void level(unsigned long long t, const float* at, float4* o, int n) {
  int i = threadIdx.x; if (i >= n) return; float r0,r1,r2,r3; float x = at[3*i], y = at[3*i+1];
  asm volatile("tex.level.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], 0f00000000, {-2,4};" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y));
  o[i] = make_float4(r0,r1,r2,r3);
}
__global__ void depth(unsigned long long t, const float* at, float4* o, int n, float ref) {
  int i = threadIdx.x; if (i >= n) return; float r0,r1,r2,r3; float x = at[3*i], y = at[3*i+1];
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], %7;" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(ref));
  o[i] = make_float4(r0,r1,r2,r3);
  asm volatile("tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {1,0}, %7;" : "=f"(r0),"=f"(r1),"=f"(r2),"=f"(r3) : "l"(t),"f"(x),"f"(y),"f"(ref));
  o[n+i] = make_float4(r0,r1,r2,r3);
}
__device__ __noinline__ int deeper(int* p, int n) {
  int* q = (int*)alloca(n * sizeof(int)); int s = 0;
  for (int i = 0; i < n; i++) q[i] = p[i] + 1;
  for (int i = 0; i < n; i++) s += q[i] * (i + 1) + p[n - 1 - i];
  return s;
}
__global__ void stack(int* o, int n) {
  int t = threadIdx.x, m = 1 + t % n; int* a = (int*)alloca(m * sizeof(int)); int s = 0;
  for (int i = 0; i < m; i++) a[i] = i * t + 1;
  for (int r = 0; r < 3; r++) { double* b = (double*)alloca((r + 1) * 8); for (int i = 0; i <= r; i++) b[i] = s + i; for (int i = 0; i <= r; i++) s += (int)b[i] % 1000; s += deeper(a, m); }
  if (t & 1) { short* c = (short*)alloca(2 * (t + 1)); for (int i = 0; i <= t; i++) c[i] = (short)(s + i); s += c[t / 2]; }
  for (int i = 0; i < m; i++) s += a[i];
  o[t] = s;
}
static uint32_t next(uint32_t& s) { s = s * 1664525u + 1013904223u; return s ^ s >> 15; }
static void show(const char* what, const char* name, const std::vector<float>& v) {
  printf("%s %s:", what, name);
  for (float f : v) { uint32_t u; memcpy(&u, &f, 4); printf(" %08x", u); }
  printf("\n");
}
#include <cstring>
int main() {
  uint32_t seed = 12345; const int n = 96;
  { std::vector<uint32_t> in(3 * n); for (auto& x : in) { x = next(seed); if (next(seed) % 4 == 0) x &= 0x80ff7f01u; }
    const int forms = sizeof video_names / sizeof *video_names; uint32_t *d, *o; OK(cudaMalloc(&d, in.size() * 4)); OK(cudaMalloc(&o, forms * n * 4));
    OK(cudaMemcpy(d, in.data(), in.size() * 4, cudaMemcpyHostToDevice)); video<<<1, n>>>(d, o, n); OK(cudaDeviceSynchronize());
    std::vector<uint32_t> r(forms * n); OK(cudaMemcpy(r.data(), o, r.size() * 4, cudaMemcpyDeviceToHost));
    for (int f = 0; f < forms; f++) { printf("%s:", video_names[f]); for (int i = 0; i < n; i++) printf(" %08x", r[f * n + i]); printf("\n"); } }
  { int* o; OK(cudaMalloc(&o, 256)); stack<<<1, 64>>>(o, 7); OK(cudaDeviceSynchronize()); int r[64]; OK(cudaMemcpy(r, o, 256, cudaMemcpyDeviceToHost));
    printf("alloca:"); for (int x : r) printf(" %d", x); printf("\n"); }
  const int w = 16, h = 8, dz = 4; std::vector<float4> data(w * h * dz);
  for (auto& x : data) x = make_float4(next(seed) % 1000 / 8.0f, next(seed) % 1000 / 8.0f, next(seed) % 1000 / 8.0f, next(seed) % 1000 / 8.0f);
  const int m = 32; std::vector<float> at(3 * m); for (auto& x : at) x = (int)(next(seed) % 640 - 160) / 16.0f;
  std::vector<int> whole_at(2 * m); for (auto& x : whole_at) x = (int)(next(seed) % 16);
  float* dat; int* dwh; float4* o; OK(cudaMalloc(&dat, at.size() * 4)); OK(cudaMalloc(&dwh, whole_at.size() * 4)); OK(cudaMalloc(&o, 64 * m * 16));
  OK(cudaMemcpy(dat, at.data(), at.size() * 4, cudaMemcpyHostToDevice)); OK(cudaMemcpy(dwh, whole_at.data(), whole_at.size() * 4, cudaMemcpyHostToDevice));
  cudaChannelFormatDesc f4 = cudaCreateChannelDesc<float4>();
  for (int dims = 1; dims <= 3; dims++) {
    cudaArray_t a; cudaExtent e = make_cudaExtent(w, dims > 1 ? h : 0, dims > 2 ? dz : 0);
    OK(cudaMalloc3DArray(&a, &f4, e, dims == 2 ? cudaArrayTextureGather : 0));
    cudaMemcpy3DParms p{}; p.srcPtr = make_cudaPitchedPtr(data.data(), w * 16, w, h); p.dstArray = a; p.kind = cudaMemcpyHostToDevice;
    p.extent = make_cudaExtent(w, dims > 1 ? h : 1, dims > 2 ? dz : 1); OK(cudaMemcpy3D(&p));
    for (int mode = 0; mode < 4; mode++) for (int linear = 0; linear < 2; linear++) for (int norm = 0; norm < 2; norm++) {
      if (!norm && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
      cudaResourceDesc rd{}; rd.resType = cudaResourceTypeArray; rd.res.array.array = a; cudaTextureDesc td{};
      for (int k = 0; k < 3; k++) td.addressMode[k] = (cudaTextureAddressMode)mode;
      td.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint; td.normalizedCoords = norm; td.borderColor[0] = 5; td.borderColor[2] = 7;
      cudaTextureObject_t t; OK(cudaCreateTextureObject(&t, &rd, &td, nullptr));
      OK(cudaMemset(o, 0, 64 * m * 16));
      float scale = norm ? 1.0f / 16 : 1; int count;
      const char** names;
      if (dims == 1) fetch1<<<1, m>>>(t, dat, o, m, w, scale), names = names1, count = sizeof names1 / sizeof *names1;
      else if (dims == 2) fetch2<<<1, m>>>(t, dat, o, m, w, scale), names = names2, count = sizeof names2 / sizeof *names2;
      else fetch3<<<1, m>>>(t, dat, o, m, w, scale), names = names3, count = sizeof names3 / sizeof *names3;
      OK(cudaDeviceSynchronize());
      std::vector<float> r(count * m * 4); OK(cudaMemcpy(r.data(), o, r.size() * 4, cudaMemcpyDeviceToHost));
      char what[64]; snprintf(what, 64, "mode %d linear %d normalized %d", mode, linear, norm);
      for (int k = 0; k < count; k++) show(what, names[k], {r.begin() + k * m * 4, r.begin() + (k + 1) * m * 4});
      if (dims == 2 && !norm) {
        std::vector<float> r(m * 4); whole<<<1, m>>>(t, dwh, o, m); OK(cudaDeviceSynchronize()); OK(cudaMemcpy(r.data(), o, r.size() * 4, cudaMemcpyDeviceToHost)); show(what, "whole {2,-3}", r);
        level<<<1, m>>>(t, dat, o, m); OK(cudaDeviceSynchronize()); OK(cudaMemcpy(r.data(), o, r.size() * 4, cudaMemcpyDeviceToHost)); show(what, "level {-2,4}", r);
      }
      OK(cudaDestroyTextureObject(t));
    }
    OK(cudaFreeArray(a));
  }
  if (getenv("DEPTH")) for (int kind = 0; kind < 2; kind++) { // one channel of float: plain, and made as a depth texture where that is accepted
    cudaArray_t a; cudaChannelFormatDesc f1 = cudaCreateChannelDesc<float>();
    cudaError_t e = cudaMalloc3DArray(&a, &f1, make_cudaExtent(w, h, 0), cudaArrayTextureGather | (kind ? 0x10 : 0));
    if (e != cudaSuccess) { printf("depth array: %s\n", cudaGetErrorString(e)); cudaGetLastError(); continue; }
    std::vector<float> one(w * h); for (auto& x : one) x = next(seed) % 16 / 16.0f; OK(cudaMemcpy2DToArray(a, 0, 0, one.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    for (int linear = 0; linear < 2; linear++) {
      cudaResourceDesc rd{}; rd.resType = cudaResourceTypeArray; rd.res.array.array = a; cudaTextureDesc td{}; td.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
      td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp; cudaTextureObject_t t; OK(cudaCreateTextureObject(&t, &rd, &td, nullptr));
      show("texels", "", one);
      for (float ref : {0.0f, 0.25f, 0.5f, 0.9f, 2.0f, -1.0f}) { depth<<<1, m>>>(t, dat, o, m, ref); e = cudaDeviceSynchronize(); if (e != cudaSuccess) { printf("depth: %s\n", cudaGetErrorString(e)); return 0; }
        std::vector<float> r(2 * m * 4); OK(cudaMemcpy(r.data(), o, r.size() * 4, cudaMemcpyDeviceToHost)); char what[64]; snprintf(what, 64, "depth kind %d linear %d ref %g", kind, linear, ref); show(what, "", r); }
    }
    show("at", "", at);
  }
  return 0;
}
