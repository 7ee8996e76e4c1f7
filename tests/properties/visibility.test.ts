import { expect, test } from 'vitest'
import { Random } from '../harness/random.ts'
import { startApp } from '../harness/app.ts'
import { grantOf, type Level } from '../harness/grants.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { runSeed, rounds } from '../harness/size.ts'
import { Model, reaches, visibilities, type Meeting, type Rank, type Who } from './visibility/model.ts'

// Whatever meetings say of who may see them, and whatever was granted on one or on all: lists, totals and searches are
// as on paper.
const comparisons = rounds(700, 20)
const seed = runSeed

// So few that lists are read in every way that there is.
const app = await startApp({ fieldIndexThreshold: 10 })
const { api } = app
const random = new Random(seed)
const model = new Model()
const objectAccess = '/workspaces/acme/objects/meeting/access'
const groups = ['alpha', 'bravo', 'charlie'] as const
const levels = ['view', 'comment', 'edit', 'manage'] as const satisfies readonly Level[]

const person = async (role: Who['role'], name: string): Promise<Who> => ({
  name,
  role,
  ...(await app.addMember(role, name)),
})
const people: readonly Who[] = [
  { name: 'admin', as: 'admin', id: app.userIds.admin, role: 'admin' },
  { name: 'member', as: 'member', id: app.userIds.member, role: 'member' },
  await person('member', 'colleague'),
  await person('member', 'newcomer'),
  { name: 'viewer', as: 'viewer', id: app.userIds.viewer, role: 'viewer' },
  { name: 'workspaceKey', as: 'workspaceKey', id: null, role: 'member' },
]

let serial = 0
const progress = { compared: 0 }

function answered({ status, body }: Answer, wanted: number, what: string): boolean {
  expect(status, `${what}, seed ${seed}, after ${progress.compared}: ${JSON.stringify(body)}`).toBe(wanted)
  progress.compared++
  return wanted < 300
}

/** Picks a caller who may make the change now and then, since otherwise nothing would ever happen. */
const able = (meeting: Meeting, needed: Rank): Who =>
  random.pick(
    random.chance(0.7)
      ? people.filter((who) => who.role !== 'viewer' && reaches(model.level(who, meeting), needed))
      : people,
  )

function statusOf(who: Who, meeting: Meeting, needed: Rank, done: number): number {
  if (who.role === 'viewer') return 403
  return !model.mayView(who, meeting) ? 404 : reaches(model.level(who, meeting), needed) ? done : 403
}

type Fresh = Pick<Meeting, 'said' | 'group' | 'title' | 'start'>

function fresh(): Fresh {
  const group = random.pick(groups)
  const start = random.chance(0.8) ? `2026-01-0${1 + random.below(9)}T00:00:00.000Z` : null
  return { said: random.pick(visibilities), group, start, title: `${group} m${String(++serial).padStart(5, '0')}` }
}

/** More than are looked up and sorted where an index in order finds a page sooner. */
async function begin(): Promise<void> {
  for (const { as, id } of people.filter(({ role, id: user }) => role !== 'viewer' && user !== null)) {
    const some = Array.from({ length: 400 }, fresh)
    const made = await recordsOf(app, as).createMany(
      'meeting',
      some.map(({ said, title, start }) => ({ title, start, visibility: said })),
    )
    some.forEach((one, index) =>
      model.meetings.push({ ...one, id: made[index]!.id, owner: id, grants: new Map(), state: 'live' }),
    )
  }
}

async function create(): Promise<void> {
  const who = random.pick(people)
  const { said, group, title, start } = fresh()
  const answer = await recordsOf(app, who.as).post('meeting', {
    title,
    start,
    ...((said !== 'default' || random.chance(0.5)) && { visibility: said }),
  })
  // A workspace key owns nothing, and manages what all may manage.
  const mayManage = who.id !== null || model.onAll.get('workspace')?.level === 'manage'
  const wanted = model.mayCreate(who) && (said === 'default' || mayManage) ? 201 : 403
  if (answered(answer, wanted, `${who.name} creates`))
    model.meetings.push({
      id: answer.body.data.id,
      owner: who.id,
      title,
      group,
      start,
      said,
      grants: new Map(),
      state: 'live',
    })
}

async function turn(): Promise<void> {
  const meeting = random.pick(model.among('live'))
  const said = random.pick(visibilities)
  const needed = said === meeting.said ? 'edit' : 'manage'
  const who = able(meeting, needed)
  if (
    !answered(
      await recordsOf(app, who.as).patch('meeting', meeting.id, { visibility: said }),
      statusOf(who, meeting, needed, 200),
      `${who.name} turns`,
    )
  )
    return
  if (said === 'private') meeting.grants.delete('workspace')
  meeting.said = said
}

const grantees = ['workspace', 'workspace', ...people.flatMap(({ id }) => id ?? [])]

async function share(): Promise<void> {
  const meeting = random.pick(model.among('live'))
  const who = able(meeting, 'manage')
  const [grantee, level] = [random.pick(grantees), random.pick(levels)]
  const answer = await api.post(`${recordsPath('meeting')}/${meeting.id}/access`, {
    as: who.as,
    body: { data: grantOf(grantee, level) },
  })
  const may = who.id === null ? 403 : statusOf(who, meeting, 'manage', meeting.grants.has(grantee) ? 200 : 201)
  const wanted = may < 300 && grantee === 'workspace' && meeting.said === 'private' ? 422 : may
  if (answered(answer, wanted, `${who.name} shares`)) meeting.grants.set(grantee, { id: answer.body.data.id, level })
}

async function revoke(): Promise<void> {
  const meeting = random.pick(model.among('live'))
  const [grantee, grant] = random.pick([...meeting.grants, [undefined, undefined] as const])
  const who = able(meeting, 'manage')
  if (grantee === undefined || who.id === null) return
  const answer = await api.delete(`${recordsPath('meeting')}/${meeting.id}/access/${grant.id}`, { as: who.as })
  if (answered(answer, statusOf(who, meeting, 'manage', 202), `${who.name} revokes`)) meeting.grants.delete(grantee)
}

async function shareAll(): Promise<void> {
  const grantee = random.pick(grantees)
  const known = model.onAll.get(grantee)
  if (known !== undefined && random.chance(0.6)) {
    answered(await api.delete(`${objectAccess}/${known.id}`), 202, 'all are closed')
    model.onAll.delete(grantee)
    return
  }
  const level = random.pick(levels)
  const answer = await api.post(objectAccess, { body: { data: grantOf(grantee, level) } })
  answered(answer, known === undefined ? 201 : 200, 'all are opened')
  model.onAll.set(grantee, { id: answer.body.data.id, level })
}

async function comeOrGo(from: 'live' | 'deleted'): Promise<void> {
  const some = model.among(from)
  if (some.length === 0) return
  const meeting = random.pick(some)
  const who = able(meeting, 'edit')
  const verb = from === 'live' ? 'remove' : 'restore'
  if (
    answered(
      await recordsOf(app, who.as)[verb]('meeting', [meeting.id]),
      statusOf(who, meeting, 'edit', 200),
      `${who.name} ${verb}s`,
    )
  )
    meeting.state = from === 'live' ? 'deleted' : 'live'
}

/** A source without grants, of the owner of the target: nothing is handed on but what it says, and that is not. */
async function merge(): Promise<void> {
  const some = model.among('live').filter(({ grants }) => grants.size === 0)
  if (some.length === 0) return
  const target = random.pick(some)
  const source = random.pick(some)
  if (target === source || target.owner !== source.owner) return
  const who = able(target, 'manage')
  const first = statusOf(who, target, 'manage', 204)
  if (
    !answered(
      await recordsOf(app, who.as).merge('meeting', target.id, [source.id]),
      first === 204 ? statusOf(who, source, 'manage', 204) : first,
      `${who.name} merges`,
    )
  )
    return
  source.state = 'merged'
  target.start ??= source.start
}

type Condition = { readonly query: Json; readonly holds: (meeting: Meeting) => boolean }

function conditionOf(): Condition {
  const { title, group, said } = random.pick(model.meetings)
  return random.pick<Condition>([
    { query: {}, holds: () => true },
    { query: {}, holds: () => true },
    { query: { 'filter[title]': title }, holds: (one) => one.title === title },
    { query: { 'filter[title][Starts with]': group }, holds: (one) => one.group === group },
    { query: { 'filter[title][Does not contain]': group }, holds: (one) => one.group !== group },
    {
      query: { 'filter[start][Is after]': '2026-01-05T00:00:00Z' },
      holds: ({ start }) => start !== null && start > '2026-01-05T00:00:00.000Z',
    },
    { query: { 'filter[start][Is empty]': '' }, holds: ({ start }) => start === null },
    { query: { 'filter[visibility]': said }, holds: (one) => one.said === said },
    { query: { 'filter[visibility][Is not]': said }, holds: (one) => one.said !== said },
    {
      query: { 'filter[visibility][One of]': `${said},private` },
      holds: (one) => one.said === said || one.said === 'private',
    },
    { query: { search: group }, holds: (one) => one.group === group },
  ])
}

async function ask(): Promise<void> {
  const who = random.pick(people)
  const { query, holds } = conditionOf()
  const column = random.pick([undefined, 'title', 'start', 'visibility', '_created_at'])
  const sort =
    column === undefined || 'search' in query
      ? {}
      : { 'sortOrder[column]': column, 'sortOrder[dir]': random.pick(['ASC', 'DESC']) }
  const wanted = model
    .seen(who)
    .filter(holds)
    .map(({ id }) => id)
    .toSorted()
  const all: string[] = []
  const limit = random.pick([300, 1000])
  let total = 0
  do {
    const { status, body } = await api.get(resourcesPath('meeting'), {
      as: who.as,
      query: { ...query, ...sort, 'page[offset]': all.length, 'page[limit]': limit },
    })
    expect(status, JSON.stringify(body)).toBe(200)
    all.push(...body.data.map(({ id }: Json) => id))
    total = body.meta.total_records
    if (body.data.length < limit) break
  } while (all.length < total)
  expect(
    [all.toSorted(), total],
    `${who.name} asks ${JSON.stringify({ ...query, ...sort, limit })}, seed ${seed}, after ${progress.compared}`,
  ).toEqual([wanted, wanted.length])
  progress.compared++
}

async function askDeleted(): Promise<void> {
  const who = random.pick(people)
  const { body } = await api.get('/workspaces/acme/objects/meeting/deleted-resources', {
    as: who.as,
    query: { 'page[limit]': 1000 },
  })
  const wanted = model
    .among('deleted')
    .filter((meeting) => model.mayView(who, meeting))
    .map(({ id }) => id)
  expect([body.data.map(({ id }: Json) => id).toSorted(), body.meta.total_records]).toEqual([
    wanted.toSorted(),
    wanted.length,
  ])
  progress.compared++
}

test(`${comparisons} answers agree with what is noted down`, { timeout: 120_000 + comparisons * 40 }, async () => {
  await app.startJobs()
  await begin()
  while (progress.compared < comparisons) {
    await random.weighted<() => Promise<void>>([
      [2, create],
      [6, turn],
      [4, share],
      [3, revoke],
      [1, shareAll],
      [2, () => comeOrGo('live')],
      [2, () => comeOrGo('deleted')],
      [1, merge],
      [2, askDeleted],
    ])()
    await Promise.all(Array.from({ length: 3 }, ask))
  }
})
