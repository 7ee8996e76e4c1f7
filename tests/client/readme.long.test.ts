import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'

const app = await startApp()
const records = recordsOf(app)
const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', 'docs/command-line.md', 'packages/docs/pages/typescript-client.md'].map((path) =>
  readFileSync(join(root, path), 'utf8'),
)
const blocks = (language: string, word: string) =>
  [...pages.join('\n').matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, name, text = '']) =>
    name === language && text.includes(word) ? [text] : [],
  )

/**
 * Runs lines of the README or a page in a shell at the root of the repository, beside this app instead of `npm start`.
 */
async function run(lines: string, folder: string): Promise<string> {
  const here = lines
    .replaceAll('examples/client', `${folder}/client`)
    .replaceAll('$(cat data/demo-api-key)', app.credentials.keys.adminKey!)
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    DATABASE_URL: app.databaseUrl,
    KONTOR_BASE_URL: app.baseUrl,
  }
  const { stdout } = await promisify(execFile)('bash', ['-ec', here], { cwd: root, env, maxBuffer: 4e6 })
  return stdout
}

test(
  'the command line and both clients work as the pages that the README names say',
  { timeout: 120_000 },
  async () => {
    await records.create('person', { name: { first_name: 'Maria', last_name: 'Cantwell' }, job_title: 'Senator' })
    const [commandLine = ''] = blocks('sh', 'kontor -- import')
    const output = await run(commandLine.replace(/^npm run -s kontor -- token.*$/m, ''), await scratchFolder())
    expect(output).toContain('Maria Cantwell')
    expect(output).toContain('503 rows: 503 created')

    const folder = await scratchFolder()
    symlinkSync(join(root, 'examples/node_modules'), join(folder, 'node_modules'))
    const [first = '', second = ''] = blocks('ts', "from '@kontor/client'").map((text) =>
      text.replaceAll('http://127.0.0.1:4000/v1', app.baseUrl),
    )
    await writeFile(join(folder, 'client.ts'), first)
    const [runFirst = ''] = blocks('sh', 'examples/client.ts')
    expect(await run(runFirst, folder)).toMatch(/^1 \{/)

    const [types = ''] = blocks('sh', 'kontor -- types')
    await run(types, folder)
    await writeFile(join(folder, 'client-objects.ts'), second)
    const [runSecond = ''] = blocks('sh', 'examples/client-objects.ts')
    expect(await run(runSecond, folder)).toBe('Cantwell\n')
  },
)
