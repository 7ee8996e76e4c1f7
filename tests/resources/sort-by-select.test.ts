import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { listsOf } from '../lists/lists.ts'

// The second object is large enough for an index of what it is sorted by.
const app = await startApp({ fieldIndexThreshold: 20 })
const records = recordsOf(app)
await app.startJobs()
const options = ['Lead', 'Proposal, sent', 'Won', 'Lost', 'Archived']
/** None of them in the order of the alphabet, and one that no record has. */
const stages = ['Won', null, 'Lead', 'Lost', 'Proposal, sent', 'Lead', null, 'Won']

async function fill(times: number): Promise<string> {
  const object = await schemasOf(app).make({
    name: { type: 'string', xSvcPrimary: true },
    stage: { enum: options },
    size: { type: 'number' },
  })
  const rows = Array.from({ length: times }, (_, index) => stages.map((stage) => ({ stage, size: index % 2 }))).flat()
  await records.createMany(object, rows)
  return object
}

const by = (dir: string, column = 'stage'): QueryText => ({ 'sortOrder[column]': column, 'sortOrder[dir]': dir })
const stagesOf = ({ status, body }: Json): Json[] => {
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return body.data.map(({ attributes }: Json) => attributes.stage)
}
const idsOf = ({ data }: Json): string[] => data.map((one: Json) => one.id)

describe.each([
  ['without an index', 1],
  ['by an index', 8],
])('%s', async (_, times) => {
  const object = await fill(times)
  if (times > 1) {
    await records.list(object, by('ASC'))
    await app.indexes.ready()
  }
  const each = (...names: (string | null)[]) =>
    names.flatMap((name) => Array<string | null>(stages.filter((one) => one === name).length * times).fill(name))
  const up = each('Lead', 'Proposal, sent', 'Won', 'Lost', null)
  const down = each('Lost', 'Won', 'Proposal, sent', 'Lead', null)

  test('options are in their order, empty values last', async () => {
    expect(stagesOf(await records.list(object, { 'page[limit]': 100, ...by('ASC') }))).toEqual(up)
    expect(stagesOf(await records.list(object, { 'page[limit]': 100, ...by('DESC') }))).toEqual(down)
    const filtered = { 'page[limit]': 100, 'filter[stage][Not one of]': 'Won', ...by('ASC') }
    expect(stagesOf(await records.list(object, filtered))).toEqual(up.filter((stage) => stage !== 'Won'))
    const ranged = { 'page[limit]': 100, 'filter[stage]': 'Lost,Lead', ...by('ASC') }
    expect(stagesOf(await records.list(object, ranged))).toEqual(each('Lead', 'Lost'))
    if (times > 1) {
      const { body } = await records.list(object, { explain: true, ...by('ASC') }, { as: 'admin' })
      expect(JSON.stringify(body.meta.explain)).toContain('Walks the index of stage')
    }
  })

  test('page by page, forwards and backwards, by cursor and by offset, alone and with another column', async () => {
    const orders: QueryText[] = [
      by('ASC'),
      by('DESC'),
      {
        'sortOrder[0][column]': 'stage',
        'sortOrder[0][dir]': 'DESC',
        'sortOrder[1][column]': 'size',
        'sortOrder[1][dir]': 'ASC',
      },
      {
        'sortOrder[0][column]': 'size',
        'sortOrder[0][dir]': 'DESC',
        'sortOrder[1][column]': 'stage',
        'sortOrder[1][dir]': 'ASC',
      },
    ]
    for (const order of orders) {
      const whole: string[] = (await records.list(object, { 'page[limit]': 100, ...order })).body.data.map(
        (one: Json) => one.id,
      )
      const size = times * 3
      const pages: Json[] = []
      let answer = await records.list(object, { 'page[limit]': size, ...order })
      for (;;) {
        pages.push(answer.body)
        if (answer.body.links.next === null) break
        answer = await app.api.get(answer.body.links.next)
      }
      expect(pages.flatMap(idsOf)).toEqual(whole)
      expect(idsOf((await app.api.get(pages.at(-1).links.prev)).body)).toEqual(idsOf(pages.at(-2)))
      for (const offset of [1, times * 3 + 1, times * 7])
        expect(
          idsOf((await records.list(object, { 'page[offset]': offset, 'page[limit]': size, ...order })).body),
        ).toEqual(whole.slice(offset, offset + size))
    }
  })
})

test('the order follows the schema, ranks first; a cursor of the order before is refused', async () => {
  const object = await fill(1)
  const first = await records.list(object, { 'page[limit]': 3, ...by('ASC') })
  expect(stagesOf(first)).toEqual(['Lead', 'Lead', 'Proposal, sent'])
  await changesOf(app).edit(object, (properties) => {
    properties.stage.enum = ['Lost', 'Won', 'Proposal, sent', 'Lead', 'Archived']
    properties.stage.xSvcEnumMetadata = { Lead: { rank: -1 } }
  })
  expect(stagesOf(await records.list(object, by('ASC')))).toEqual([
    'Lead',
    'Lead',
    'Lost',
    'Won',
    'Won',
    'Proposal, sent',
    null,
    null,
  ])
  const refused = await app.api.get(first.body.links.next)
  expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'cursor_mismatch'])
  const { id } = await listsOf(app).create(object, {
    query: { sql: `SELECT * FROM ${object} WHERE stage IS NOT NULL ORDER BY stage DESC LIMIT 3` },
  })
  expect(stagesOf(await listsOf(app).records(object, id))).toEqual(['Proposal, sent', 'Won', 'Won'])
})
