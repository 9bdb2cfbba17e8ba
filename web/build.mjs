// Makes src/html/page.html, the page that WarpLens puts reports into, of the sources here: `npm ci && npm run build`.
// With --check it says whether the page is what these sources make, and writes nothing.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const output = here('../src/html/page.html');

async function bundled(entry) {
  const result = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, target: 'es2021', charset: 'utf8',
    jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none', format: 'iife',
  });
  return result.outputFiles[0].text.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// What is embedded, with the text of its licence.
function licences() {
  return ['preact', 'prismjs'].map((name) => {
    const { version, license } = JSON.parse(readFileSync(here(`node_modules/${name}/package.json`)));
    return `This page contains ${name} ${version} (${license}):\n\n${readFileSync(here(`node_modules/${name}/LICENSE`), 'utf8').trim()}`;
  }).join('\n\n').replaceAll('--', '- -');
}

const script = await bundled('src/app.tsx'), style = await bundled('src/style.css');
const parts = { SCRIPT_HASH: hash(script), STYLE_HASH: hash(style), LICENCES: licences(), STYLE: style, SCRIPT: script };
const page = readFileSync(here('src/template.html'), 'utf8').replace(/@([A-Z_]+)@/g, (_, name) => parts[name]);

if (process.argv.includes('--check')) {
  if (readFileSync(output, 'utf8') !== page) {
    console.error('src/html/page.html is not what web/ makes\nhelp: npm --prefix web run build');
    process.exit(1);
  }
} else {
  writeFileSync(output, page);
  console.log(`src/html/page.html: ${(page.length / 1024).toFixed(0)} KiB, of which script ${(script.length / 1024).toFixed(0)}, style ${(style.length / 1024).toFixed(0)}`);
}
