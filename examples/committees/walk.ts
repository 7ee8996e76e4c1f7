/**
 * The committees of a parliament as an object of one's own, as a program: made with the API alone, filled with 230
 * committees and 3,879 links, asked, changed while others read and write, and described as types for the clients of the
 * new shape. Each step fails when the answer is not the expected one.
 *
 * DATABASE_URL runs the same on Postgres.
 */
import assert from 'node:assert/strict'
import { createRestClient, relationships, resources, type RestClient } from '@kontor/client'
import { importFile, peopleColumns } from '../files.ts'
import { createPersonalKey, kontorData, type Server } from '../shell.ts'
import { inNewFolder, withServer } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { generateClients } from './clients.ts'
import { evolve } from './evolve.ts'
import { countLinks, fill, type Ids } from './fill.ts'
import { committees, makeObject, object, workspace } from './model.ts'
import { committeeRows, memberIds, peopleById } from './rows.ts'

async function walk(server: Server): Promise<void> {
  step('A workspace, and 537 people')
  const made = await kontorData<{ user: { id: string; email: string } }>(
    'workspace',
    'create',
    '--slug',
    workspace,
    '--name',
    'Congress',
    '--admin-email',
    'clerk@example.com',
  )
  const key = await createPersonalKey(workspace, made.user.email)
  Object.assign(process.env, { KONTOR_BASE_URL: server.baseUrl, KONTOR_WORKSPACE: workspace, KONTOR_API_KEY: key })
  assert.equal((await importFile('person', 'people.csv', peopleColumns, 'email_addresses')).created, 537)
  const rest = createRestClient({ url: server.baseUrl, apiKey: key })

  step('A committee as an object of its own, part of another one, with people as members')
  await makeObject(rest, [...new Set(committeeRows.map(({ kind }) => kind))].toSorted())
  tell(`${object}: its parent is a relationship to itself, its members are many-to-many`)

  step('230 committees and 3,879 links')
  const ids = await fill(rest)
  await checkFigures(rest)
  await askForMembers(rest, ids)

  await evolve({ rest, ids, userId: made.user.id })
  await checkFigures(rest)

  step('Clients that are generated for the new shape compile, and work')
  const committeeId = ids.committees.get('SSAF') ?? ''
  const outputs = await generateClients({ url: server.baseUrl, key, committeeId })
  for (const output of outputs)
    assert.equal(
      output,
      `${expectedMembers('SSAF')
        .map(({ last, others }) => `${last} ${others}\n`)
        .join('')}string null string\n`,
    )
  tell('both list the 23 members with their other committees')
}

async function checkFigures(rest: RestClient): Promise<void> {
  const all = await rest.call(resources.list, { ...committees, page: { limit: 1 } })
  assert.equal(all.body.meta.total_records, 230)
  const parts = await rest.call(resources.list, {
    ...committees,
    filter: { parent: { 'Is not empty': true } },
    page: { limit: 1 },
  })
  assert.equal(parts.body.meta.total_records, 181)
  assert.equal(await countLinks(rest, object, 'members'), 3879)
  assert.equal(await countLinks(rest, 'person', 'committees'), 3879)
  tell('230 committees, 181 of them part of another; 3,879 links, from either end')
}

/** By last name, as the database folds it: without regard to case. */
const byLastName = (a: { readonly last: string }, b: { readonly last: string }): number =>
  a.last.toLowerCase() < b.last.toLowerCase() ? -1 : 1

/** The members of a committee as the files have them, by last name, each with the number of other committees. */
const expectedMembers = (code: string): { last: string; others: number }[] =>
  (memberIds.get(code) ?? [])
    .map((id) => ({
      last: peopleById.get(id)?.last ?? '',
      others: [...memberIds.values()].filter((members) => members.includes(id)).length - 1,
    }))
    .toSorted(byLastName)

async function askForMembers(rest: RestClient, ids: Ids): Promise<void> {
  step('In one request: the members of a committee, sorted by last name, with their other committees')
  const id = ids.committees.get('SSAF') ?? ''
  const { body } = await rest.call(relationships.list, {
    ...committees,
    id,
    relationship: 'members',
    sortOrder: { column: 'name.last_name', dir: 'ASC' },
    include: ['members.committees'],
  })
  const found = body.data.map(({ attributes, relationships: links }) => ({
    last: (attributes['name'] as { last_name: string }).last_name,
    others: [links['committees']?.data ?? []].flat().filter((one) => one.id !== id).length,
  }))
  assert.deepEqual(found, expectedMembers('SSAF'))
  const [first] = body.data
  const names = [first?.relationships['committees']?.data ?? []].flat().map(({ attributes }) => attributes?.['name'])
  assert.ok(names.every((name) => typeof name === 'string'))
  tell(
    `${found.length} members from ${found[0]?.last} to ${found.at(-1)?.last}; ${found[0]?.last} also sits on ` +
      `${found[0]?.others} others`,
  )
}

await inNewFolder('committees', { RATE_LIMIT_PER_MINUTE: '0' }, () => withServer(walk))
