// The picture of one warp: rows of memory, blue cells that lanes asked for, hatched ones that travel for nothing. The rows,
// which lane is where and what travels come from the data; this places them.
import { useState } from 'preact/hooks';
import { Picture, PictureRow } from './data';
import { exact } from './format';

const CELLS = 32, CHIP = 16, LEFT = 66, STEP = 12.5, GAP = 4;

function lanesIn(mask: number): number[] {
  const out = [];
  for (let lane = 0; lane < 32; ++lane) if ((mask >>> lane) & 1) out.push(lane);
  return out;
}

// From blue to green, so that no lane looks like waste.
function colour(lane: number): { fill: string; dark: boolean } {
  const stops = [[46, 78, 158], [38, 102, 182], [43, 141, 200], [56, 178, 184], [126, 208, 178]];
  const at = (lane / 31) * 4, i = Math.min(3, Math.floor(at)), part = at - i;
  const c = stops[i].map((v, k) => Math.round(v + (stops[i + 1][k] - v) * part));
  return { fill: `rgb(${c.join(',')})`, dark: c[0] * 0.3 + c[1] * 0.59 + c[2] * 0.11 > 140 };
}

function namesOf(lanes: number[]): string {
  const runs: string[] = [];
  for (let i = 0; i < lanes.length; ) {
    let j = i;
    while (j + 1 < lanes.length && lanes[j + 1] === lanes[j] + 1) ++j;
    runs.push(i === j ? `${lanes[i]}` : `${lanes[i]}–${lanes[j]}`);
    i = j + 1;
  }
  return `lane${lanes.length === 1 ? '' : 's'} ${runs.join(', ')}`;
}

interface Spot { x: number; y: number; width: number; lanes: number[] }

function Chip({ x, y, width, lanes, lit, light }: Spot & { lit: boolean | null; light: (lanes: number[] | null) => void }) {
  const { fill, dark } = colour(lanes[0]);
  const words = lanes.length === 1 ? `${lanes[0]}` : width > 20 ? `${lanes.length}×` : '∗';
  return (
    <g class={lit === false ? 'lane faint' : 'lane'} onPointerEnter={() => light(lanes)}>
      <title>{namesOf(lanes)}</title>
      <rect class="chip" x={x} y={y} width={width} height={CHIP - 1} fill={fill} />
      {width > 7 && <text class={dark ? 'ct k' : 'ct'} x={x + width / 2} y={y + CHIP / 2 + 2.5}>{words}</text>}
    </g>
  );
}

// The chips of a row: cells of equal lanes are one.
function spotsOf(row: PictureRow, y: number, cellX: (cell: number) => number, cellWidth: number, group: number): Spot[] {
  const out: Spot[] = [], runs = row[4];
  for (let i = 0; i < runs.length; i += 4) {
    const [cell, cells, mask, step] = runs.slice(i, i + 4), lanes = lanesIn(mask >>> 0);
    if (step === 0)
      for (let from = cell; from < cell + cells; ) {
        const to = Math.min(cell + cells, (Math.floor(from / group) + 1) * group);
        out.push({ x: cellX(from) + 0.5, y, width: (to - from) * cellWidth - 1, lanes });
        from = to;
      }
    else
      for (let k = 0; k < cells; ++k)
        out.push({ x: cellX(cell + k) + 0.5, y, width: cellWidth - 1, lanes: lanes.map((lane) => lane + k) });
  }
  return out;
}

const rowWords = {
  sectors: ['line of 128 bytes', 'lines of 128 bytes'], passes: ['pass', 'passes'],
  banks: ['row of the banks', 'rows of the banks'], words: ['row of words', 'rows of words'],
};

export function describe(picture: Picture): string {
  const active = lanesIn(picture.active).length, rows = picture.rows.length;
  const sum = (at: 1 | 2) => picture.rows.reduce((bytes, row) => bytes + row[at], 0), moved = sum(2);
  return `${active} active lanes in ${rows} ${rowWords[picture.kind][rows === 1 ? 0 : 1]}` +
    (moved ? `: ${sum(1)} of ${moved} bytes are asked for` : '');
}

// `absolute`: rows are labelled with their bytes, not with how far they are from the first.
export function LanePicture({ picture, most = 8, absolute }: { picture: Picture; most?: number; absolute?: boolean }) {
  const [lit, light] = useState<number[] | null>(null);
  const [whole, open] = useState(false);
  const banks = picture.kind === 'passes' || picture.kind === 'banks';
  const gap = banks ? 0 : GAP, width = (STEP * CELLS) / picture.cells;
  const cellX = (cell: number) => LEFT + cell * width + Math.floor(cell / picture.group) * gap;
  const right = LEFT + CELLS * STEP + gap * (picture.cells / picture.group - 1);
  const laneX = (lane: number) => LEFT + lane * STEP + Math.floor(lane / 8) * (banks ? 0 : GAP);
  const active = new Set(lanesIn(picture.active));
  const shown: (PictureRow | null)[] = whole || picture.rows.length <= most ? picture.rows
    : [...picture.rows.slice(0, most - 2), null, picture.rows[picture.rows.length - 1]];
  const lights = (lanes: number[]) => (lit ? lanes.some((lane) => lit.includes(lane)) : null);
  const body = [];
  let y = CHIP + 14;
  for (const row of shown) {
    if (!row) {
      body.push(<text x={(LEFT + right) / 2} y={y + 11} text-anchor="middle">{`⋯ ${picture.rows.length - most + 1} more ⋯`}</text>);
      y += 18;
      continue;
    }
    const [label, used, moved, groups] = row, top = y;
    body.push(<text class="lab" x={LEFT - 8} y={top + 11.5}>{picture.kind === 'passes' ? `pass ${label}` : absolute ? exact(label) : `+${exact(label - picture.rows[0][0])}`}</text>);
    for (let g = 0; g * picture.group < picture.cells; ++g) {
      const box = { x: cellX(g * picture.group), y: top, width: picture.group * width, height: CHIP, rx: 3 };
      const travels = (groups >>> g) & 1;
      if (travels) body.push(<rect class="unused" {...box} />);
      body.push(<rect class={travels ? 'sec' : 'empty'} {...box} />);
    }
    for (const spot of spotsOf(row, top + 0.5, cellX, width, picture.group))
      body.push(<Chip {...spot} lit={lights(spot.lanes)} light={light} />);
    body.push(<text x={right + 8} y={top + 11.5}>{moved ? `${used} of ${moved} B` : `${used} B`}</text>);
    y += CHIP + 5;
  }
  if (banks) {
    body.push(<text class="lab" x={LEFT - 8} y={y + 9}>bank</text>);
    for (let b = 0; b < picture.cells; b += 8)
      body.push(<text x={cellX(b) + width / 2} y={y + 9} text-anchor="middle">{b}</text>);
    body.push(<text x={cellX(picture.cells - 1) + width / 2} y={y + 9} text-anchor="middle">{picture.cells - 1}</text>);
    y += 13;
  }
  return (
    <>
      <svg viewBox={`0 0 ${right + 84} ${y + 1}`} role="img" aria-label={describe(picture)} onPointerLeave={() => light(null)}>
        <text class="lab" x={LEFT - 8} y={13}>lanes</text>
        {Array.from({ length: 32 }, (_, lane) => active.has(lane)
          ? <Chip x={laneX(lane) + 0.5} y={2} width={STEP - 1} lanes={[lane]} lit={lights([lane])} light={light} />
          : <rect class="off" x={laneX(lane) + 1} y={2.5} width={STEP - 2} height={CHIP - 2} rx={2.5} />)}
        {body}
      </svg>
      {picture.rows.length > most && (
        <button type="button" class="unfold" aria-expanded={whole} onClick={() => open(!whole)}>
          {whole ? 'show fewer rows' : `show all ${picture.rows.length} rows`}
        </button>
      )}
    </>
  );
}
