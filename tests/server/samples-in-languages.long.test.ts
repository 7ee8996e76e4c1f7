import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { kontor } from '../cli/kontor.ts'
import { emptyDatabase } from '../harness/database.ts'
import { httpClient } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'
import { samplesOf } from './samples.ts'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/**
 * Runs the samples of a language, one after another. One that is to be repeated later, as a change of a schema may be
 * while another is under way, is. Prints a line for each that fails.
 */
const runners = {
  bash: {
    program: 'bash',
    file: 'run.sh',
    text: `curl() { command curl -sS -o answer -w '%{http_code}' "$@"; }
for file in ?????.bash; do
  for i in $(seq 40); do status=$(. ./$file); [ "$status" = 409 ] || [ "$status" = 503 ] || break; sleep 1; done
  case $status in 2*) ;; *) echo "$file: $status $(cat answer)" ;; esac
done`,
  },
  typescript: {
    program: process.execPath,
    file: 'run.ts',
    text: `import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
console.log = () => undefined
for (const file of readdirSync('.').filter((name) => /^\\d+\\.typescript\\.ts$/.test(name)).sort()) {
  for (let i = 0; ; i++) {
    const error = await import('./' + file + '?' + i).then(() => undefined, (reason) => reason)
    if (error === undefined) break
    if (error.code === 'schema_modification_in_progress' && i < 40) await sleep(1000)
    else { console.error(file, error); break }
  }
}`,
  },
  python: {
    program: 'python3',
    file: 'run.py',
    text: `import contextlib, glob, io, sys, time, requests
for file in sorted(glob.glob("*.python")):
    for i in range(40):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(open(file).read(), file, "exec"), {})
            break
        except requests.HTTPError as error:
            if error.response.status_code == 409 and "Retry-After" in error.response.headers and i < 39:
                time.sleep(1)
            else:
                print(file, error, error.response.text, file=sys.stderr)
                break
        except Exception as error:
            print(file, repr(error), file=sys.stderr)
            break`,
  },
} as const

const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0
const languages = (['bash', 'typescript', 'python'] as const).filter((name) => name !== 'python' || hasRequests)

test.each(languages)(
  'the samples in %s run as they stand on the pages of the docs',
  { timeout: 300_000 },
  async (language) => {
    const scratch = await emptyDatabase()
    const http = httpClient()
    const env = { DATA_DIR: await scratchFolder(), DATABASE_URL: scratch.url }
    const server = await startServer(scratch.url, { ...env, KONTOR_DEMO: '1' })
    const key = readFileSync(join(env.DATA_DIR, 'demo-api-key'), 'utf8').trim()
    const token = (await kontor(['token', '--email', 'admin@example.com'], env)).stdout.trim()
    const read = async (url: string) => (await http.send({ method: 'GET', url })).body

    const folder = await scratchFolder()
    symlinkSync(modules, join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const { program, file, text } = runners[language]
    await writeFile(join(folder, file), text)
    const samples = samplesOf(await read(`${server.baseUrl}/openapi.json`))
    const names = await Promise.all(
      samples.map(async ({ name }, index) => {
        const { href } = new URL(`../docs/reference/${name.replace('_', '/')}.md`, server.baseUrl)
        const page: string = await read(href)
        const [, code] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page) ?? []
        if (code === undefined) throw new Error(`${href} has no sample in ${language}`)
        const sample = `${String(index).padStart(5, '0')}.${language}${language === 'typescript' ? '.ts' : ''}`
        await writeFile(join(folder, sample), `${code}\n`)
        return [sample, name] as const
      }),
    )
    expect(names.length).toBeGreaterThan(150)
    const { stdout, stderr } = await promisify(execFile)(program, [file], {
      cwd: folder,
      env: { PATH: process.env['PATH'], KONTOR_API_KEY: key, KONTOR_ACCESS_TOKEN: token },
      maxBuffer: 16e6,
    })
    const output = names.reduce((all, [sample, name]) => all.replaceAll(sample, name), `${stdout}${stderr}`)
    http.close()
    await scratch.remove()
    expect(output).toBe('')
  },
)
