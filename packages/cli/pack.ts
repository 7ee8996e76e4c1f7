// Writes dist/, the package that other projects install: the commands over HTTP in one file, without dependencies.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'

type Manifest = Readonly<Record<'name' | 'version' | 'description' | 'license', string>>

const here = (path: string): URL => new URL(path, import.meta.url)
const { name, version, description, license } = JSON.parse(readFileSync(here('package.json'), 'utf8')) as Manifest

rmSync(here('dist'), { recursive: true, force: true })
mkdirSync(here('dist'))
const bundle = await rolldown({ input: here('src/packed.ts').pathname, platform: 'node' })
const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
writeFileSync(here('dist/commands.js'), output[0].code)
copyFileSync(here('entry.js'), here('dist/kontor.js'))
chmodSync(here('dist/kontor.js'), 0o755)

const manifest = { name, version, description, license, type: 'module', bin: { kontor: 'kontor.js' } }
const engines = { node: '>=22.12' }
writeFileSync(here('dist/package.json'), `${JSON.stringify({ ...manifest, engines }, undefined, 2)}\n`)
copyFileSync(here('README.md'), here('dist/README.md'))
copyFileSync(here('../../LICENSE'), here('dist/LICENSE'))
