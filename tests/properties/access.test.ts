import { expect, test } from 'vitest'
import { Random } from '../harness/random.ts'
import { startApp } from '../harness/app.ts'
import type { Answer } from '../harness/http.ts'
import { runSeed, rounds } from '../harness/size.ts'
import type { Who } from './access/model.ts'
import type { Question } from './access/question.ts'
import { questions } from './access/questions.ts'
import { World } from './access/world.ts'

// For all callers and all grants: every endpoint answers as a person would who goes through all records on paper.
const comparisons = rounds(2000, 100)
const seed = runSeed

/** Between two of them some questions are asked; they change nothing, so they come side by side. */
const happeningsAtOnce = 12
const questionsAtOnce = 36

// So few that lists are read in every way that there is.
const app = await startApp({ fieldIndexThreshold: 10 })

const person = async (role: Who['role'], name: string): Promise<Who> => ({
  name,
  role,
  ...(await app.addMember(role, name)),
})

const people: readonly Who[] = [
  { name: 'admin', as: 'admin', id: app.userIds.admin, role: 'admin' },
  { name: 'member', as: 'member', id: app.userIds.member, role: 'member' },
  { name: 'key of member', as: 'memberKey', id: app.userIds.member, role: 'member' },
  await person('member', 'colleague'),
  await person('member', 'newcomer'),
  { name: 'viewer', as: 'viewer', id: app.userIds.viewer, role: 'viewer' },
  await person('viewer', 'onlooker'),
  { name: 'workspace key', as: 'workspaceKey', id: null, role: 'member' },
]

/** Expects that an answer shows nothing that a caller may not see, but for what they have said themselves. */
function expectSilent(world: World, who: Who, { said }: Question, { body }: Answer): void {
  const text = JSON.stringify(body)
  for (const { id, name, state } of world.model.things.values()) {
    if (state === 'merged' || world.model.mayView(who, world.model.things.get(id)!)) continue
    if (!said.includes(id)) expect(text, `tells of ${id}`).not.toContain(id)
    const word = name.split(' ')[1]!
    if (!said.some((one) => one.includes(word))) expect(text, `tells of ${name}`).not.toContain(word)
  }
}

async function compare(world: World, who: Who, question: Question): Promise<void> {
  const answer = await question.ask()
  try {
    question.check(answer)
    expectSilent(world, who, question, answer)
  } catch (error) {
    throw new Error(`${who.name}, ${question.what}, seed ${seed}, after ${world.compared}`, { cause: error })
  }
  world.compared++
}

test(`${comparisons} answers agree with a reference model`, { timeout: 120_000 + comparisons * 20 }, async () => {
  await app.startJobs()
  const random = new Random(seed)
  const world = new World(app, random, people)
  await world.begin()
  const asked = new Map<string, number>()
  while (world.compared < comparisons) {
    for (let happened = 0; happened < happeningsAtOnce; happened++) await world.happen()
    const some = Array.from({ length: questionsAtOnce }, () => {
      const who = random.pick(people)
      return { who, question: random.weighted(questions)(world, who, random) }
    })
    const outcomes = await Promise.allSettled(some.map(({ who, question }) => compare(world, who, question)))
    const wrong = outcomes.find(({ status }) => status === 'rejected')
    if (wrong?.status === 'rejected') throw wrong.reason
    for (const {
      question: { what },
    } of some)
      asked.set(what.split(' ')[0]!, (asked.get(what.split(' ')[0]!) ?? 0) + 1)
  }
  expect(asked.size, 'kinds of questions').toBeGreaterThan(12)
})

test('a member of another workspace finds none of it', async () => {
  for (const as of ['stranger', 'strangerKey'] as const) {
    for (const path of [
      'objects/c_open/resources',
      'objects/c_open/deleted-resources',
      'schemas',
      'objects/c_open/records/019b2f6e-7a00-7000-8000-00000000dead/access',
    ]) {
      expect((await app.api.get(`/workspaces/acme/${path}`, { as })).status, path).toBe(404)
    }
  }
})
