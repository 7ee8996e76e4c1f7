/**
 * Access to the committees of a parliament, as a program: a list of the senators who chair something, by SQL,
 * read by three people with different rights; a committee shared with one of them, which does not exist for the others;
 * and a third party's app that reads it with the consent of that member, until the consent is taken back.
 *
 * DATABASE_URL runs the same on Postgres. The last part needs a browser (Chromium).
 */
import assert from 'node:assert/strict'
import { access, createRestClient, lists, relationships, type RestClient } from '@kontor/client'
import { importFile, peopleColumns } from '../files.ts'
import { createPersonalKey, kontorData, type Server } from '../shell.ts'
import { inNewFolder, withServer } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { addRelationship, closeToMembers } from './closing.ts'
import { fill, type Ids } from './fill.ts'
import { assertHidden, assertSeen } from './hidden.ts'
import { committees, makeObject, object, workspace } from './model.ts'
import { connectPartner } from './partner.ts'
import { chairs, committeeRows, peopleById } from './rows.ts'

type Person = { readonly id: string; readonly email: string; readonly key: string; readonly rest: RestClient }
type People = { readonly clerk: Person; readonly staff: Person; readonly intern: Person }

/**
 * A subcommittee whose chair chairs no full committee of the Senate: who may not see it does not find the senator.
 */
const alone =
  committeeRows.find(
    ({ code, kind }) =>
      kind === 'senate subcommittee' && !fullCommittees().some((full) => chairs.get(full) === chairs.get(code)),
  )?.code ?? ''

function fullCommittees(): string[] {
  return committeeRows.filter(({ kind }) => kind === 'senate').map(({ code }) => code)
}

async function walk(server: Server): Promise<void> {
  step('A workspace with 537 people and 230 committees, and three who work with them')
  const people = await hire(server)
  assert.equal((await importFile('person', 'people.csv', peopleColumns, 'email_addresses')).created, 537)
  const { rest } = people.clerk
  await makeObject(rest, [...new Set(committeeRows.map(({ kind }) => kind))].toSorted())
  const ids = await fill(rest)
  await addRelationship(
    rest,
    { object, field: 'chair', title: 'Chair' },
    { object: 'person', field: 'chairs', title: 'Chairs' },
  )
  await appoint(rest, ids)

  step(
    'Committees are closed to members; those of the Senate are shared with the workspace, one subcommittee ' +
      'with one member',
  )
  await closeToMembers(rest, object)
  for (const code of fullCommittees()) await shareWith(rest, ids.committees.get(code) ?? '', null)
  await shareWith(rest, ids.committees.get(alone) ?? '', people.staff.id)
  await explain(people, ids.committees.get(alone) ?? '')

  step('One list, by SQL, read by three')
  const list = await senatorsWhoChair(rest)
  await compare(people, list, 'clerk', [...chairs.keys()])
  await compare(people, list, 'staff', [...fullCommittees(), alone])
  await compare(people, list, 'intern', fullCommittees())

  step('What is shared with one member does not exist for the others')
  const secret = {
    id: ids.committees.get(alone) ?? '',
    code: alone,
    chairId: ids.people.get(chairs.get(alone) ?? '') ?? '',
    parentId: ids.committees.get(parentOf(alone)) ?? '',
  }
  await assertSeen(people.staff.rest, secret)
  await assertHidden(people.intern.rest, secret)
  tell('neither by its id nor in lists, filters, search, relationships, includes, counts, feeds and comments')

  await connectPartner({
    server,
    member: people.staff,
    committeeId: secret.id,
    hiddenId: ids.committees.get(committeeRows.find(({ kind }) => kind === 'house')?.code ?? '') ?? '',
  })
}

const parentOf = (code: string): string => committeeRows.find((row) => row.code === code)?.parent ?? ''

const add = async (email: string, role: string): Promise<string> =>
  (await kontorData<{ id: string }>('user', 'add', '--workspace', workspace, '--email', email, '--role', role)).id

async function hire({ baseUrl }: Server): Promise<People> {
  const made = await kontorData<{ user: { id: string } }>(
    'workspace',
    'create',
    '--slug',
    workspace,
    '--name',
    'Congress',
    '--admin-email',
    'clerk@example.com',
  )
  const person = async (id: string, email: string): Promise<Person> => {
    const key = await createPersonalKey(workspace, email)
    return { id, email, key, rest: createRestClient({ url: baseUrl, apiKey: key }) }
  }
  const clerk = await person(made.user.id, 'clerk@example.com')
  // The command line, in a process of its own, does not know on which port the server is.
  Object.assign(process.env, {
    AUTH_URL: new URL(baseUrl).origin,
    KONTOR_BASE_URL: baseUrl,
    KONTOR_WORKSPACE: workspace,
    KONTOR_API_KEY: clerk.key,
  })
  return {
    clerk,
    staff: await person(await add('staff@example.com', 'member'), 'staff@example.com'),
    intern: await person(await add('intern@example.com', 'viewer'), 'intern@example.com'),
  }
}

/** Adds the committees that a person chairs, from the other end of the relationship. */
async function appoint(rest: RestClient, ids: Ids): Promise<void> {
  for (const [code, person] of chairs) {
    const data = { type: 'person', id: ids.people.get(person) ?? '' }
    await rest.call(relationships.replace, {
      ...committees,
      id: ids.committees.get(code) ?? '',
      relationship: 'chair',
      body: { data },
    })
  }
  tell(`${chairs.size} committees have a chair`)
}

/** View, for one member, or for the workspace if no member is named. */
async function shareWith(rest: RestClient, id: string, userId: string | null): Promise<void> {
  const attributes = {
    grantee_type: userId === null ? ('workspace' as const) : ('user' as const),
    grantee_id: userId,
    access_level: 'view' as const,
  }
  const { status } = await rest.call(access.create, {
    ...committees,
    id,
    body: { data: { type: 'object-record-access', attributes } },
  })
  assert.equal(status, 201)
}

async function explain({ clerk, staff, intern }: People, id: string): Promise<void> {
  const levels = await Promise.all(
    [staff, intern].map(
      async ({ id: user }) =>
        (await clerk.rest.call(access.explain, { ...committees, id, user })).body.data.attributes.access_level,
    ),
  )
  assert.deepEqual(levels, ['view', 'none'])
  tell('explained: the member of the staff may view it by a grant, the intern may not')
}

const chairsOfSenate =
  "SELECT p.* FROM person p JOIN c_committee c ON p.chairs = c._id WHERE p.job_title = 'Senator' ORDER BY p.name"

async function senatorsWhoChair(rest: RestClient): Promise<string> {
  const path = { workspace, object: 'person' }
  const { body } = await rest.call(lists.create, {
    ...path,
    body: {
      title: 'Senators who chair something',
      type: 'dynamic',
      permission: 'workspace',
      query: { sql: chairsOfSenate },
    },
  })
  await rest.call(lists.publish, { ...path, list: body.data.id })
  return body.data.id
}

/** The list as one of them reads it, beside the senators who chair one of the committees that they may see. */
async function compare(people: People, list: string, who: keyof People, visible: readonly string[]): Promise<void> {
  const { body } = await people[who].rest.call(lists.listRecords, {
    workspace,
    object: 'person',
    list,
    page: { limit: 200 },
  })
  const found = body.data.map(({ attributes }) =>
    (attributes['email_addresses'] as { items: string[] }).items[0]?.replace('@example.com', '').toUpperCase(),
  )
  const expected = new Set(
    visible.flatMap((code) => chairs.get(code) ?? []).filter((id) => peopleById.get(id)?.title === 'Senator'),
  )
  assert.deepEqual(new Set(found), expected)
  assert.equal(found.length, expected.size)
  assert.equal(body.meta.total_records, expected.size)
  tell(`${who}: ${found.length} senators`)
}

await inNewFolder('sharing', { RATE_LIMIT_PER_MINUTE: '0' }, () => withServer(walk))
