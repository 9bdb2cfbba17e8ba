// Small parts that several views use.

// What moved, blue the part that was asked for, hatched orange the rest; `of`: what the whole width stands for.
export function Bar({ moved, waste, of, thin }: { moved: number; waste: number; of?: number; thin?: boolean }) {
  const whole = of || moved || 1;
  const width = (x: number) => `${Math.min(100, (100 * x) / whole)}%`;
  return (
    <span class={`bar${thin ? ' thin' : ''}${of ? ' flat' : ''}`} aria-hidden="true">
      {moved > waste && <i class="u" style={{ width: width(moved - waste) }} />}
      {waste > 0 && <i class="w" style={{ width: width(waste) }} />}
    </span>
  );
}

export function Choice<T extends string | number>(props: {
  label: string; value: T; options: [T, string][]; choose: (value: T) => void;
}) {
  return (
    <span class="seg" role="group" aria-label={props.label}>
      {props.options.map(([value, words]) => (
        <button type="button" aria-pressed={value === props.value} onClick={() => props.choose(value)}>{words}</button>
      ))}
    </span>
  );
}

// Where a list is scrolled to, in steps of some rows, so that it is drawn anew only when those ahead run out.
export const stepOf = (top: number, height: number, rows = 8) => Math.floor(top / (rows * height)) * rows * height;
