// Makes the pages that WarpLens puts data into, of the sources here: src/output/html/report.html, diff.html and compare.html, each
// called as the command whose answer it shows; and src/output/playground/playground.html, into which the build puts the module
// (cmake/playground.cmake). `npm ci && npm run build`; with --check it says whether they are what these
// sources make, and writes nothing.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
async function bundled(entry) {
  const result = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, target: 'es2021', charset: 'utf8',
    jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none', format: 'iife', loader: { '.ptx': 'text', '.cu': 'text' },
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

const reportStyle = await bundled('src/style.css'), reportTemplate = readFileSync(here('src/template.html'), 'utf8');

async function make(output, entry, libraries, style = reportStyle, template = reportTemplate) {
  const script = await bundled(entry), file = here(`../${output}`);
  const parts = { SCRIPT_HASH: hash(script), STYLE_HASH: hash(style), LICENCES: licences(libraries), STYLE: style, SCRIPT: script };
  const page = template.replace(/@([A-Z_]+)@/g, (mark, part) => parts[part] ?? mark);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, page);
    console.log(`${output}: ${(page.length / 1024).toFixed(0)} KiB, of which script ${(script.length / 1024).toFixed(0)}`);
  } else if (readFileSync(file, 'utf8') !== page) {
    console.error(`${output} is not what web/ makes\nhelp: npm --prefix web run build`);
    process.exitCode = 1;
  }
}

await make('src/output/html/report.html', 'src/app.tsx', ['preact', 'prismjs']);
await make('src/output/html/diff.html', 'src/diff.tsx', ['preact']);
await make('src/output/html/compare.html', 'src/compare.tsx', ['preact']);

const changed = (text, from, to) => {
  if (!text.includes(from)) throw new Error(`src/template.html has no ${from}`);
  return text.replace(from, to);
};
let playground = changed(reportTemplate, '{{title}} – WarpLens', 'WarpLens playground');
playground = changed(playground, '@SCRIPT_HASH@', "@SCRIPT_HASH@ 'wasm-unsafe-eval'");
playground = changed(playground, '<script type="application/json" id="data">{{data}}</script>', '<script type="text/plain" id="module">@MODULE@</script>');
playground = changed(playground, 'Its numbers are in the block of JSON at the end of the file.', 'It counts with WebAssembly.');
await make('src/output/playground/playground.html', 'src/playground/play.tsx', ['preact'], await bundled('src/playground/play.css'), playground);
