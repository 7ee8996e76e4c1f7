/**
 * A team moves in from a former CRM: three CSV files, each messy in its own way, and a workbook. They are imported into
 * an embedded database, reverted, and imported again. Then the whole workspace moves to another database as a bundle,
 * is compared completely, and goes on there.
 *
 * DATABASE_URL names the database that they move to, such as Postgres; it must be empty. By default it is another
 * embedded one.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRestClient, imports, records, resources, type RestClient } from '@kontor/client'
import { createPersonalKey, kontorData, type Server } from '../shell.ts'
import { inNewFolder, withServer } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { contentsOf, type Place } from './contents.ts'

const workspace = 'acme'
const admin = 'admin@acme.example.com'
const folder = 'examples/moving-in/former-crm'

/** The summary that the command line prints. */
type Summary = { readonly run: string; readonly rejected_rows: readonly { readonly line: number }[] } & Readonly<
  Record<string, unknown>
>

const maps = (columns: Readonly<Record<string, string>>): string[] =>
  Object.entries(columns).flatMap(([column, field]) => ['--map', `${column}=${field}`])

/** The files, in the order in which their records refer to each other, and what becomes of their rows. */
const files = [
  {
    what: 'Companies: Windows-1252 with semicolons, comments of several lines, one company twice',
    args: ['company', `${folder}/accounts.csv`, '--match-on', 'domains'],
    columns: {
      Firma: 'name',
      Webseite: 'domains',
      Branche: 'industry',
      Ort: 'location',
      'Gegründet {Gegründet}': 'labels',
      Bemerkung: 'description',
    },
    expected: { rows: 61, created: 60, unchanged: 1, rejected: 0 },
  },
  {
    what: 'People: UTF-16 with tabs, phone numbers of the country, companies by their domain',
    args: ['person', `${folder}/contacts.txt`, '--match-on', 'email_addresses', '--country', 'US', '--dates', 'dmy'],
    columns: {
      'Full name': 'name',
      'E-mail': 'email_addresses',
      Phone: 'phone_numbers',
      'Job title': 'job_title',
      Account: 'company_id.domains',
    },
    expected: { rows: 80, created: 78, rejected: 2 },
  },
  {
    what: 'Deals: a line that names the delimiter, decimals after a comma, days before months',
    args: ['deal', `${folder}/opportunities.csv`, '--match-on', 'name', '--decimal', ',', '--dates', 'dmy'],
    columns: {
      Projekt: 'name',
      Summe: 'amount',
      Abschluss: 'close_date',
      Phase: 'stage',
      Firma: 'company_id.domains',
    },
    expected: { rows: 40, created: 38, rejected: 2 },
  },
  {
    what: 'People and deals: links, from the same file',
    args: ['--links', 'person.deals', `${folder}/opportunities.csv`],
    columns: { Kontakt: 'person.email_addresses', Projekt: 'deals.name' },
    expected: { rows: 40, linked: 36, rejected: 4 },
  },
  {
    what: 'Tasks: a workbook with a hidden sheet, dates as numbers, a cell with an error and a sum at its end',
    args: ['task', `${folder}/activities.xlsx`],
    columns: { Activity: 'title', Due: 'due_date', Deal: 'deal_id.name', Importance: 'priority' },
    expected: { rows: 51, created: 47, rejected: 4 },
  },
] as const

const objects = ['company', 'person', 'deal', 'task'] as const

type Import = Pick<(typeof files)[number], 'what' | 'args' | 'columns'>

/** Imports a file; returns the id of the import. */
async function importFile(
  { what, args, columns }: Import,
  expected: Readonly<Record<string, number>>,
): Promise<string> {
  tell(what)
  const rejects = ['--rejects', join(process.env['DATA_DIR'] ?? '', 'rejects')]
  const summary = await kontorData<Summary>('import', ...args, ...maps(columns), ...rejects)
  for (const [name, number] of Object.entries(expected)) assert.equal(summary[name], number, `${what}: ${name}`)
  return summary.run
}

/** Imports all files; returns the ids of the imports. */
async function importAll(): Promise<string[]> {
  const ids: string[] = []
  for (const file of files) ids.push(await importFile(file, file.expected))
  return ids
}

const countAll = async (rest: RestClient): Promise<unknown[]> =>
  Promise.all(
    objects.map(async (object) => {
      const page = await rest.call(resources.list, { workspace, object, page: { limit: 1 } })
      return page.body.meta.total_records
    }),
  )

/** Reverts an import, and waits until that is done. */
async function revert(rest: RestClient, id: string): Promise<void> {
  await rest.call(imports.revert, { workspace, id })
  for (;;) {
    const { ended_at, conflicts } = (await rest.call(imports.getRevert, { workspace, id })).body.data.attributes
    if (ended_at === null) await sleep(100)
    else return assert.deepEqual(conflicts, [])
  }
}

async function checkRecords(rest: RestClient): Promise<void> {
  assert.deepEqual(await countAll(rest), [60, 78, 38, 47])
  const filter = { name: 'AOS 2021' }
  const [deal] = (await rest.call(resources.list, { workspace, object: 'deal', filter })).body.data
  assert(deal !== undefined)
  assert.equal(deal.attributes['amount'], 38_131.5)
  assert.equal(deal.attributes['close_date'], '2026-02-02')
  const { body } = await rest.call(records.get, { workspace, object: 'deal', id: deal.id })
  assert.equal(body.data.attributes['stage'], 'Qualified')
}

/** Lets the command line work with the workspace on a server; returns how a program reaches it. */
async function connect({ baseUrl }: Server): Promise<Place> {
  const apiKey = await createPersonalKey(workspace, admin)
  Object.assign(process.env, { KONTOR_BASE_URL: baseUrl, KONTOR_WORKSPACE: workspace, KONTOR_API_KEY: apiKey })
  return { rest: createRestClient({ url: baseUrl, apiKey }), baseUrl, workspace }
}

async function moveIn(server: Server): Promise<void> {
  await kontorData('workspace', 'create', '--slug', workspace, '--name', 'Acme', '--admin-email', admin)
  const former = await connect(server)
  const { rest } = former

  step('Import three CSV files and a workbook of the former CRM')
  const first = await importAll()
  await checkRecords(rest)
  tell('60 companies, 78 people, 38 deals with 36 links to people, and 47 tasks; 12 rows are rejected with reasons')

  step('Revert the imports, the last one first: nothing is left of them')
  for (const id of first.toReversed()) await revert(rest, id)
  assert.deepEqual(await countAll(rest), [0, 0, 0, 0])

  step('Import the same files again: the same records are there')
  await importAll()
  await checkRecords(rest)

  step(`Move the workspace to ${target === undefined ? 'another embedded database' : 'Postgres'}, as a bundle`)
  const home = process.env['DATA_DIR'] ?? ''
  const bundle = join(home, 'acme.zip')
  await kontorData('workspace', 'export', '--output', bundle)
  const moved = join(home, 'moved')
  Object.assign(process.env, { DATA_DIR: moved, DATABASE_URL: target ?? `sqlite:${join(moved, 'kontor.db')}` })
  await kontorData('workspace', 'restore', bundle)
  await withServer((other) => goOn(former, other))
}

/** Compares what has moved, and works on with it. */
async function goOn(former: Place, server: Server): Promise<void> {
  const place = await connect(server)
  const before = await contentsOf(former, objects)
  assert.deepEqual(await contentsOf(place, objects), before)
  tell('every schema, member, record, link and activity is the same')

  step('Go on there: the same people again change nothing, and tasks imported twice are reverted')
  const [, people, , , tasks] = files
  await importFile(people, { rows: 80, created: 0, updated: 0, unchanged: 78, rejected: 2 })
  await revert(place.rest, await importFile(tasks, tasks.expected))
  assert.deepEqual(await contentsOf(place, objects), before)
}

// The server of the former home has an embedded database.
const target = process.env['DATABASE_URL']
delete process.env['DATABASE_URL']
await inNewFolder('moving-in', {}, () => withServer(moveIn))
