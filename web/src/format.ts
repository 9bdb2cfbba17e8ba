// Numbers as people read them.

const trim = (text: string) => text.replace(/\.?0+$/, '');
const three = (x: number) => (x < 9.995 ? x.toFixed(2) : x < 99.95 ? x.toFixed(1) : x.toFixed(0));

function scaled(n: number, unit: string): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let i = 0;
  while (n >= 999.5 && i + 1 < prefixes.length) (n /= 1000), ++i;
  return `${three(n)}\u202f${prefixes[i]}${unit}`;
}

export const exact = (n: number) => n.toLocaleString('en');
export const human = (n: number) => (n < 10000 ? exact(Math.round(n)) : scaled(n, ''));
export const bytes = (n: number) => (n < 1000 ? `${Math.round(n)}\u202fB` : scaled(n, 'B'));
export const per = (x: number) => (Math.abs(x) < 1e4 ? trim(x.toFixed(2)) : human(x));
export const percent = (x: number) =>
  x > 0 && x < 0.005 ? '<1%' : x < 1 && x >= 0.995 ? '>99%' : `${Math.round(x * 100)}%`;
export const times = (x: number) => `${x >= 9.95 ? Math.round(x) : trim(x.toFixed(1))}×`;
export const plural = (n: number, word: string) =>
  `${human(n)} ${word}${n === 1 ? '' : /(s|ch|sh|x)$/.test(word) ? 'es' : 's'}`;
export const capital = (t: string) => t.charAt(0).toUpperCase() + t.slice(1);
// As a sentence: texts are parts of one, or one already. Names of code keep their first letter.
export const sentence = (t: string) => (t && `${/^[a-z]+[A-Z]/.test(t) ? t : capital(t)}${/[.!?]$/.test(t) ? '' : '.'}`);
export const one = (n: number, unit: string) => (n === 1 ? unit.replace(/s$/, '') : unit);
