/**
 * The first hour with Kontor, as a program: start it, import two files, look around, change something. Each step prints
 * the command that a person would type, and fails when the answer is not the expected one.
 *
 * DATABASE_URL runs the same on Postgres; the database must be empty.
 */
import assert from 'node:assert/strict'
import { createKontorClient, createRestClient, type OutputOf, resources } from '@kontor/client'
import { companyColumns, importFile, peopleColumns } from './files.ts'
import { kontor, kontorData, type Server } from './shell.ts'
import { inNewFolder, withServer } from './stand.ts'
import { step, tell } from './tell.ts'

type Page = OutputOf<typeof resources.list>

const workspace = 'walk'

async function walk(server: Server): Promise<void> {
  step('Make a workspace and a key')
  const made = await kontorData<{ workspace: { slug: string }; user: { email: string } }>(
    'workspace',
    'create',
    '--slug',
    workspace,
    '--name',
    'Walk',
    '--admin-email',
    'admin@example.com',
  )
  assert.equal(made.workspace.slug, workspace)
  const key = await kontor<{ data: { attributes: { cleartext_api_key: string } } }>(
    'key',
    'create',
    '--workspace',
    workspace,
    '--email',
    made.user.email,
    '--kind',
    'personal',
  )
  const apiKey = key.data.attributes.cleartext_api_key
  // The variable that a person would export in the shell.
  Object.assign(process.env, { KONTOR_BASE_URL: server.baseUrl, KONTOR_WORKSPACE: workspace, KONTOR_API_KEY: apiKey })

  step('Import 503 companies and 537 people')
  const companies = await importFile('company', 'companies.csv', companyColumns, 'domains')
  assert.deepEqual([companies.rows, companies.created, companies.rejected], [503, 503, 0])
  const people = await importFile('person', 'people.csv', peopleColumns, 'email_addresses')
  assert.deepEqual([people.rows, people.created, people.rejected], [537, 537, 0])
  tell(`${companies.created} companies and ${people.created} people are in`)

  await lookAround(apiKey, server.baseUrl)

  step('Import both again: nothing changes')
  for (const [object, file, columns, matchOn] of [
    ['company', 'companies.csv', companyColumns, 'domains'],
    ['person', 'people.csv', peopleColumns, 'email_addresses'],
  ] as const) {
    const again = await importFile(object, file, columns, matchOn)
    assert.deepEqual([again.created, again.updated, again.unchanged, again.rejected], [0, 0, again.rows, 0])
    tell(`${file}: ${again.unchanged} of ${again.rows} unchanged`)
  }

  await changeOne(apiKey, server.baseUrl)
}

async function lookAround(apiKey: string, url: string): Promise<void> {
  step('List, filter and sort, by the command line')
  const list = await kontor<Page>('records', 'list', 'company', '--limit', '5')
  assert.equal(list.data.length, 5)
  assert.equal(list.meta.total_records, 503)
  const senators = await kontor<Page>(
    'records',
    'list',
    'person',
    '--filter',
    'job_title=Senator',
    '--sort',
    'name',
    '--all',
  )
  assert.equal(senators.data.length, 100)
  const accents = await kontor<Page>('records', 'list', 'person', '--filter', 'name[Contains]=VELÁZQUEZ')
  assert.deepEqual(
    accents.data.map(({ attributes }) => (attributes['name'] as { full_name: string }).full_name),
    ['Nydia M. Velázquez'],
  )
  tell('503 companies, 100 senators, and "VELÁZQUEZ" finds Velázquez')

  step('Page through all companies by following links.next')
  const names: string[] = []
  let pages = 0
  let next: string | null =
    `${url}/workspaces/${workspace}/objects/company/resources` +
    '?sortOrder[column]=name&sortOrder[dir]=DESC&page[limit]=100'
  while (next !== null) {
    const response = await fetch(next, { headers: { Authorization: `api-key ${apiKey}` } })
    assert.equal(response.status, 200)
    const page = (await response.json()) as Page
    names.push(...page.data.map(({ attributes }) => String(attributes['name'])))
    pages++
    next = page.links.next
  }
  assert.equal(pages, 6)
  assert.equal(names.length, 503)
  assert.deepEqual([names[0], names.at(-1)], ['Zoetis', '3M'])
  tell(`${pages} pages, ${names.length} names from ${names[0]} to ${names.at(-1)}`)

  step('The same with the typed client')
  const rest = createRestClient({ url, apiKey })
  const filter = { industry: 'Energy' }
  let energy = 0
  for await (const { data } of rest.pages(resources.list, {
    workspace,
    object: 'company',
    filter,
    page: { limit: 10 },
  }))
    energy += data.length
  const { body } = await rest.call(resources.list, { workspace, object: 'company', filter, page: { limit: 1 } })
  assert.equal(energy, body.meta.total_records)
  assert.ok(energy > 10)
  tell(`${energy} of them in the energy sector`)
}

async function changeOne(apiKey: string, url: string): Promise<void> {
  step('Change one record, over tRPC')
  const client = createKontorClient({ url, apiKey })
  const { data } = await client.resources.list.query({
    workspace,
    object: 'company',
    filter: { domains: 'AAPL.example.com' },
  })
  const [apple] = data
  assert.equal(apple?.attributes['name'], 'Apple Inc.')
  const change = {
    workspace,
    object: 'company',
    id: apple.id,
    body: { data: { type: 'company', attributes: { employee_count: 164_000 } } },
  }
  const changed = await client.records.update.mutate(change)
  assert.equal(changed.data.attributes['employee_count'], 164_000)
  const again = await client.records.update.mutate(change)
  assert.equal(
    again.data.attributes._updated_at,
    changed.data.attributes._updated_at,
    'the same values again are no change',
  )
  tell('Apple Inc. has 164,000 employees; saying so twice changes nothing')
}

await inNewFolder('first-steps', {}, async () => {
  await withServer(async (server) => {
    tell(`it answers at ${server.baseUrl}`)
    await walk(server)
  })

  step('Stop it and start it again: everything is kept')
  await withServer(async ({ baseUrl }) => {
    process.env['KONTOR_BASE_URL'] = baseUrl
    const people = await kontor<Page>('records', 'list', 'person', '--limit', '1')
    assert.equal(people.meta.total_records, 537)
  })
})
