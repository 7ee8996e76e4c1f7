/**
 * Two workspaces that are kept equal by one folder of files, as a repository with a job for each of them does: a change
 * is pulled from the first, planned for the second and applied there; what somebody changes by hand shows as drift.
 *
 * DATABASE_URL runs the same on Postgres; the database must be empty.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRestClient, lists, records, schemas, settings, type RestClient } from '@kontor/client'
import { createPersonalKey, kontorData, type Server } from '../shell.ts'
import { inNewFolder, withServer } from '../stand.ts'
import { show, step, tell } from '../tell.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A workspace with a key of its admin. */
type Workspace = { readonly slug: string; readonly apiKey: string; readonly rest: RestClient }

async function makeWorkspace(slug: string, { baseUrl }: Server): Promise<Workspace> {
  const email = `admin@${slug}.example.com`
  await kontorData('workspace', 'create', '--slug', slug, '--name', slug, '--admin-email', email)
  const apiKey = await createPersonalKey(slug, email)
  return { slug, apiKey, rest: createRestClient({ url: baseUrl, apiKey }) }
}

/** A command of `kontor schema` on a workspace, as a job runs it: its exit code, and what it prints. */
async function schema({ slug, apiKey }: Workspace, verb: string, folder: string, ...more: string[]) {
  const args = ['run', '-s', 'kontor', '--', 'schema', verb, '--dir', folder, '--workspace', slug, ...more]
  show('npm', ...args)
  const env = { ...process.env, KONTOR_API_KEY: apiKey }
  const child = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env })
  const ended = once(child, 'close') as Promise<[number | null]>
  let output = ''
  for await (const chunk of child.stdout) output += String(chunk)
  const [code] = await ended
  return { code, output }
}

const propertiesOf = async ({ rest, slug }: Workspace, object: string) =>
  (await rest.call(schemas.get, { workspace: slug, object })).body.data.attributes.properties

async function walk(server: Server, folder: string): Promise<void> {
  process.env['KONTOR_BASE_URL'] = server.baseUrl
  step('Make two workspaces, and an object, a list and a setting in the first')
  const [staging, production] = [await makeWorkspace('staging', server), await makeWorkspace('production', server)]
  const venue = { name: 'Venue', plural: 'Venues', properties: { seats: { type: 'number', title: 'Seats' } } } as const
  await staging.rest.call(schemas.create, { workspace: staging.slug, body: venue })
  const large = { field: 'seats', op: 'Greater than', value: 1000 }
  const list = { title: 'Large venues', type: 'dynamic', permission: 'workspace', query: { filter: large } } as const
  await staging.rest.call(lists.create, { workspace: staging.slug, object: 'c_venue', body: list })
  const zone = { key: 'time_zone', value: 'Europe/Berlin' } as const
  await staging.rest.call(settings.create, { workspace: staging.slug, body: zone })

  step('Pull the first into files; the second differs from them by these')
  assert.equal((await schema(staging, 'pull', folder)).code, 0)
  assert.equal((await schema(staging, 'plan', folder)).code, 0)
  const planned = await schema(production, 'plan', folder)
  const heads = planned.output.split('\n').filter((line) => /^[+~-]/.test(line))
  assert.deepEqual([planned.code, heads], [2, ['+ c_venue', '~ settings time_zone', '+ lists c_venue/Large venues']])

  step('Apply the files to the second: now both are equal, and applying again does nothing')
  assert.equal((await schema(production, 'apply', folder)).code, 0)
  assert.deepEqual(await propertiesOf(production, 'c_venue'), await propertiesOf(staging, 'c_venue'))
  assert.deepEqual(await schema(production, 'apply', folder), { code: 0, output: 'Nothing differs.\n' })

  step('Rename a field in the files, and in the list that names it, and apply that to both: values stay')
  const attributes = { name: 'Hall', seats: 300 }
  const body = { data: { type: 'c_venue', attributes } }
  const made = await production.rest.call(records.create, { workspace: production.slug, object: 'c_venue', body })
  const file = join(folder, 'objects', 'c_venue.yaml')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('  seats:\n', '  places:\n    xSvcPrevName: seats\n'))
  const listFile = join(folder, 'lists', 'c_venue-large-venues.yaml')
  await writeFile(listFile, (await readFile(listFile, 'utf8')).replace('field: seats', 'field: places'))
  for (const workspace of [staging, production])
    assert.equal((await schema(workspace, 'apply', folder, '--allow-loss')).code, 0)
  const { id } = made.body.data
  const now = await production.rest.call(records.get, { workspace: production.slug, object: 'c_venue', id })
  assert.equal(now.body.data.attributes['places'], 300)
  tell('the hall still has 300 places')

  step('Somebody adds a field by hand: the plan shows the drift, and applying takes it away only if that is meant')
  const added = {
    data: { type: 'schema-properties', attributes: { note: { type: 'string', title: 'Note' } } },
  } as const
  await production.rest.call(schemas.addProperties, { workspace: production.slug, entity: 'c_venue', body: added })
  const drift = await schema(production, 'plan', folder)
  assert.deepEqual([drift.code, /- note/.test(drift.output)], [2, true])
  assert.equal((await schema(production, 'apply', folder, '--allow-loss')).code, 0)
  assert.deepEqual(Object.keys(await propertiesOf(production, 'c_venue')), ['name', 'places'])
}

await inNewFolder('schema', {}, () => withServer((server) => walk(server, join(process.env['DATA_DIR'] ?? '', 'crm'))))
