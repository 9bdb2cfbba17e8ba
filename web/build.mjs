// Makes the pages that WarpLens puts data into, of the sources here: src/output/html/report.html, diff.html and compare.html, each
// called as the command whose answer it shows. `npm ci && npm run build`; with --check it says whether they are what these
// sources make, and writes nothing.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
async function bundled(entry) {
  const result = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, target: 'es2021', charset: 'utf8',
    jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none', format: 'iife',
  });
  return result.outputFiles[0].text.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// What is embedded, with the text of its licence.
function licences(names) {
  return names.map((name) => {
    const { version, license } = JSON.parse(readFileSync(here(`node_modules/${name}/package.json`)));
    return `This page contains ${name} ${version} (${license}):\n\n${readFileSync(here(`node_modules/${name}/LICENSE`), 'utf8').trim()}`;
  }).join('\n\n').replaceAll('--', '- -');
}

const style = await bundled('src/style.css'), template = readFileSync(here('src/template.html'), 'utf8');

async function make(name, entry, libraries) {
  const script = await bundled(entry), output = `src/output/html/${name}.html`, file = here(`../${output}`);
  const parts = { SCRIPT_HASH: hash(script), STYLE_HASH: hash(style), LICENCES: licences(libraries), STYLE: style, SCRIPT: script };
  const page = template.replace(/@([A-Z_]+)@/g, (_, part) => parts[part]);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, page);
    console.log(`${output}: ${(page.length / 1024).toFixed(0)} KiB, of which script ${(script.length / 1024).toFixed(0)}`);
  } else if (readFileSync(file, 'utf8') !== page) {
    console.error(`${output} is not what web/ makes\nhelp: npm --prefix web run build`);
    process.exitCode = 1;
  }
}

await make('report', 'src/app.tsx', ['preact', 'prismjs']);
await make('diff', 'src/diff.tsx', ['preact']);
await make('compare', 'src/compare.tsx', ['preact']);
