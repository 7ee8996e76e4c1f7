import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, test } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'

/** The outputs that the docs show; `KONTOR_RECORD=1` before this test writes them anew. */
const outputsFile = fileURLToPath(new URL('../../packages/docs/command-outputs.json', import.meta.url))
const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))

type Shown = { readonly command: string; readonly line: string; readonly output: string }

/** The commands that are typed beside the sample data, in this order; `before` is not shown. */
const typed: readonly { readonly command: string; readonly line: string; readonly before?: string }[] = [
  { command: 'migrate', line: '| tail -1' },
  { command: 'workspace create', line: '--slug lab --name Lab --admin-email a@example.com' },
  { command: 'workspace list', line: '' },
  { command: 'workspace export', line: '--output acme.zip' },
  { command: 'workspace restore', line: 'acme.zip --slug acme-copy --new-ids' },
  { command: 'user add', line: '--workspace lab --email b@example.com --role member' },
  { command: 'user list', line: '--workspace lab' },
  { command: 'user password-link', line: '--email b@example.com' },
  { command: 'user remove', line: '--workspace lab --email b@example.com' },
  { command: 'token', line: '--email a@example.com' },
  { command: 'key create', line: '--workspace lab --email a@example.com --kind personal --name Import' },
  { command: 'key list', line: '--workspace lab' },
  {
    command: 'key revoke',
    line: '--workspace lab $KEY_ID',
    before: "KEY_ID=$(kontor key list --workspace lab --json | jq -r '.data[0].id')",
  },
  {
    command: 'oauth-client create',
    line: '--name Portal --confidential --redirect-uri https://portal.example.com/callback',
  },
  { command: 'oauth-client list', line: '' },
  {
    command: 'oauth-client rotate-secret',
    line: '$CLIENT_ID',
    before: "CLIENT_ID=$(kontor oauth-client list --json | jq -r '.data[-1] | .client_id // .id')",
  },
  { command: 'oauth-client remove', line: '$CLIENT_ID' },
  { command: 'signing-key rotate', line: '' },
  {
    command: 'import',
    line: 'company companies.csv --map Name=name --map Website=domains --match-on domains',
    before: "printf 'Name,Website\\nEngines,engines.example\\nLooms,looms example\\n' > companies.csv",
  },
  { command: 'export', line: 'company --fields name,domains --output export.csv' },
  { command: 'records list', line: 'deal --filter stage=Won --sort amount:desc --columns name,amount --limit 3' },
  { command: 'records get', line: 'person 019b2f6e-7a00-7000-8000-000000000001' },
  { command: 'records create', line: 'company --set name=Looms --set domains=looms.example' },
  {
    command: 'records update',
    line: 'company $ID --set industry=Machinery',
    before: [
      'named() { kontor records list company --filter "name=$1" --json | jq -r ".data[0].id"; }',
      'ID=$(named Engines) OTHER=$(named Looms)',
    ].join('\n'),
  },
  { command: 'records delete', line: 'company $ID' },
  { command: 'records deleted', line: 'company --limit 3' },
  { command: 'records restore', line: 'company $ID' },
  { command: 'records merge', line: 'company $ID $OTHER' },
  {
    command: 'call',
    line: `lists.create object=person --data '{"title": "Speakers", "type": "static"}' | jq .data.attributes.title`,
  },
  { command: 'sql', line: "'SELECT stage, count(*) AS deals FROM deal GROUP BY stage ORDER BY stage'" },
  { command: 'types', line: '--out kontor-types.ts' },
  { command: 'schema pull', line: '--dir crm' },
  {
    command: 'schema plan',
    line: '--dir crm',
    before:
      "printf 'title: c_venue\\nproperties:\\n  name: {type: string, xSvcPrimary: true}\\n' > crm/objects/c_venue.yaml",
  },
  { command: 'schema apply', line: '--dir crm' },
  { command: 'jobs list', line: '' },
  { command: 'indexes build', line: 'person job_title --workspace acme' },
  { command: 'indexes list', line: '', before: 'until kontor indexes list | grep -q ready; do sleep 1; done' },
  { command: 'jobs retry', line: '--all' },
  { command: 'doctor', line: '' },
  { command: 'completion', line: 'bash | head -3' },
]

/** Numbers, dates, ids and prefixes of keys differ from run to run, and with them the widths of columns. */
const shapeOf = (output: string): string =>
  output
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/\bkp_[\w-]{4}(?= )/g, 'PREFIX')
    // The id of a signing key.
    .replaceAll(/^[\w-]{16}$/gm, 'ID')
    .replaceAll(/\d[\d.,:TZ-]*/g, '0')
    .replaceAll(/ +/g, ' ')

/** An output as the docs show it: without secrets, names of the machine, and progress. */
const presentable = (output: string, places: readonly (readonly [string, string])[]): string =>
  places
    .reduce((text, [from, to]) => text.replaceAll(from, to), output)
    .replaceAll(/\b([a-z]{2,8}_)[\w-]{24,}/g, '$1…')
    .replaceAll(/^(?:Checking|Restoring|Counting)\b.*…\n/gm, '')
    .replaceAll(/eyJ[\w.-]{40,}/g, 'eyJ…')
    .replaceAll(/(token=|[/#])[\w-]{40,}/g, '$1…')
    .trimEnd()

/** Runs a script to its end; everything that it writes, in order. */
async function inShell(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const shell = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(shell, 'close')
  return output
}

describe.runIf(inject('database') === 'sqlite')('the command line', () => {
  test('prints what the docs show of each command', { timeout: 300_000 }, async ({ onTestFinished }) => {
    const scratch = await emptyDatabase()
    onTestFinished(() => scratch.remove())
    const folder = await scratchFolder()
    const dataDir = join(folder, 'data')
    const server = await startServer(scratch.url, { DATA_DIR: dataDir, KONTOR_DEMO: '1', AUTH_URL: '' })
    const env = {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: scratch.url,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      KONTOR_BASE_URL: server.baseUrl,
      KONTOR_WORKSPACE: 'acme',
      KONTOR_API_KEY: readFileSync(join(dataDir, 'demo-api-key'), 'utf8').trim(),
      KONTOR_LOGINS: join(folder, 'none.json'),
    }
    const steps = typed.map(({ command, line, before = '' }) =>
      [before, 'echo "<<<"', `{ kontor ${command} ${line}; } 2>&1`, 'echo ">>>$?"'].join('\n'),
    )
    const output = await inShell(
      [`kontor() { '${process.execPath}' '${main}' "$@"; }`, ...steps].join('\n'),
      folder,
      env,
    )
    const places = [
      [scratch.url, 'sqlite:data/kontor.sqlite'],
      [scratch.url.replace(/^sqlite:/, ''), 'data/kontor.sqlite'],
      [process.execPath, '/usr/bin/node'],
      [dataDir, './data'],
      [`${folder}/`, ''],
      [new URL(server.baseUrl).origin, 'http://127.0.0.1:4000'],
    ] as const
    const ended = [...output.matchAll(/<<<\n([\s\S]*?)>>>(\d+)/g)]
    const codes = ended.map(([, text, code], index) => [typed[index]?.command, code, code === '0' ? '' : text])
    expect(codes.filter(([command, code]) => code !== (command === 'schema plan' ? '2' : '0'))).toEqual([])
    const shown = typed.map(({ command, line }, index): Shown => ({
      command: `kontor ${command}`,
      line: `kontor ${command} ${line}`.trimEnd(),
      output: presentable(ended[index]?.[1] ?? '', places),
    }))
    if (process.env['KONTOR_RECORD'] === '1') writeFileSync(outputsFile, `${JSON.stringify(shown, null, 1)}\n`)
    const recorded = JSON.parse(readFileSync(outputsFile, 'utf8')) as readonly Shown[]
    const shapes = (some: readonly Shown[]) => some.map((one) => ({ ...one, output: shapeOf(one.output) }))
    expect(shapes(shown)).toEqual(shapes(recorded))
    expect(await server.terminate()).toBe(0)
  })
})
