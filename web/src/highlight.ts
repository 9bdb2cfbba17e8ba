// CUDA C++ in colours: Prism's grammar of C++ with CUDA's own words, as tokens of one line each. No markup is made.
import './prism-manual';
import Prism from 'prismjs/components/prism-core';
import 'prismjs/components/prism-clike';
import 'prismjs/components/prism-c';
import 'prismjs/components/prism-cpp';

export type Piece = [text: string, kind: string];

const grammar = Prism.languages.insertBefore('cpp', 'keyword', {
  cuda: {
    pattern: /\b(?:__(?:global|device|host|shared|constant|managed|restrict|launch_bounds|forceinline|noinline)__|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|__(?:syncthreads|syncwarp)\w*|__(?:shfl|ballot|any|all|activemask|ldg|reduce|match)\w*|atomic[A-Z]\w*)\b/,
  },
}) && Prism.languages.cpp;

type Token = string | { type: string; content: Token | Token[] };

export function highlight(source: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const add = (token: Token, kind: string) => {
    if (typeof token === 'string') {
      token.split(/\r?\n/).forEach((part, i) => {
        if (i) lines.push([]);
        if (part) lines[lines.length - 1].push([part, kind]);
      });
    } else for (const inner of Array.isArray(token.content) ? token.content : [token.content]) add(inner, token.type);
  };
  for (const token of Prism.tokenize(source, grammar) as Token[]) add(token, '');
  return lines;
}
