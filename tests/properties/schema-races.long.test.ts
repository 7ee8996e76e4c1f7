import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf, schemasPath } from '../harness/schemas.ts'

// Two apps in one process, on one database, and an admin at each.
const app = await startApp()
const beside = await startApp({ beside: app })
const nodes = [app, beside] as const
const { make, get } = schemasOf(app)
const { end } = changesOf(app)

const name = { type: 'string', xSvcPrimary: true }
const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).toSorted((a, b) => a - b)
const node = (index: number) => nodes[index % 2]!

test('of two who replace one schema at once, one does, and the other is told that a change is under way', async () => {
  for (const round of range(8)) {
    const object = await make({ name, v: { type: 'string' } })
    const document = await get(object)
    const put = (index: number) =>
      node(round + index).api.put(objectPath(object), {
        as: index === 0 ? 'admin' : 'adminKey',
        body: { ...document, properties: { ...document.properties, [`by_${index}`]: {} } },
      })
    const answers = await Promise.all([put(0), put(1)])
    expect(statuses(answers)).toEqual([200, 409])
    const lost = answers.find(({ status }) => status === 409)!
    expect([lost.body.errors[0].code, lost.headers['retry-after']]).toEqual(['schema_modification_in_progress', '1'])
    const won = answers.findIndex(({ status }) => status === 200)
    // No job runs before this: the change is still to be made, and no other request can come between.
    for (const other of nodes) {
      const asked = [
        other.api.put(objectPath(object), { body: document }),
        other.api.patch(`${schemasPath}/${object}/fields-order`, {
          body: { data: { type: 'schema-property-order', attributes: { order: ['v', 'name'] } } },
        }),
      ]
      expect(statuses(await Promise.all(asked))).toEqual([409, 409])
    }
    if (round < 7) continue
    await end(answers[won]!.body.data.id)
    expect(Object.keys((await get(object)).properties)).toEqual(['name', 'v', `by_${won}`])
  }
})

test('what many change at once is all there, in whatever order they come', async () => {
  await Promise.all(nodes.map(({ startJobs }) => startJobs()))
  const object = await make({ name, stage: { enum: ['A'] } })
  const id = (await get(object)).$id
  const asks = range(24).map((index) => {
    const { api } = node(index)
    const properties = { data: { type: 'schema-properties', attributes: { [`f_${index}`]: { type: 'string' } } } }
    const options = {
      data: [
        {
          type: 'schema-properties',
          id,
          attributes: { stage: { enum: [`option ${index}`] } },
          meta: { stage: { enum: 'append' } },
        },
      ],
    }
    return () =>
      index % 3 === 0
        ? api.patch(schemasPath, { body: options })
        : api.post(`${schemasPath}/${object}/properties`, { body: properties })
  })
  expect([...new Set(statuses(await Promise.all(asks.map((ask) => ask()))))]).toEqual([200, 202])
  const { properties } = await get(object)
  expect(Object.keys(properties).toSorted()).toEqual(
    [
      'name',
      'stage',
      ...range(24)
        .filter((index) => index % 3 !== 0)
        .map((index) => `f_${index}`),
    ].toSorted(),
  )
  expect(properties.stage.enum.toSorted()).toEqual(
    [
      'A',
      ...range(24)
        .filter((index) => index % 3 === 0)
        .map((index) => `option ${index}`),
    ].toSorted(),
  )
  const { body } = await app.api.get(`${schemasPath}/${object}/activities`)
  expect(body.data.flatMap(({ attributes }: Json) => attributes.data)).toHaveLength(25)
})

test(
  'those who try again until it is their turn all get there, with relationships between them',
  { timeout: 60_000 },
  async () => {
    const objects = await Promise.all(range(3).map(() => make({ name })))
    await recordsOf(app).createMany(
      objects[0]!,
      range(200).map((number) => ({ name: `N ${number}` })),
    )
    const changed = range(12).map(async (index) => {
      const object = objects[index % 3]!
      for (;;) {
        const document = await schemasOf(node(index)).get(object)
        document.properties.name.maxLength = 100 - index
        document.properties[`to_${index}`] = {
          xSvcRelationship: { kind: 'many-to-one', entity: objects[(index + 1) % 3], field: `back_${index}` },
        }
        const answer = await node(index).api.put(objectPath(object), { body: document })
        if (answer.status === 200) return changesOf(node(index)).end(answer.body.data.id)
        expect(answer.body.errors[0].code).toBe('schema_modification_in_progress')
      }
    })
    for (const attributes of await Promise.all(changed)) expect(attributes.state).toBe('completed')
    await app.cleaned()
    expect(await app.tableFaults([])).toEqual([])
    const all = await Promise.all(objects.map((object) => get(object)))
    for (const { title, properties } of all) {
      for (const [field, schema] of Object.entries<Json>(properties)) {
        const to = schema.xSvcRelationship
        if (to !== undefined)
          expect(
            all.find((one) => one.title === to.entity).properties[to.field].xSvcRelationship,
            `${title}.${field}`,
          ).toMatchObject({ entity: title, field })
      }
    }
  },
)

test(
  'changes end though others go on creating records: those keep to the change by themselves',
  { timeout: 90_000 },
  async () => {
    const object = await make({ name, v: { type: 'string' }, stage: { enum: ['A', 'B'] } })
    const { createMany } = recordsOf(app)
    const working = { over: false, made: 0 }
    const creating = range(3).map(async (index) => {
      for (; !working.over; working.made += 2)
        await createMany(
          object,
          range(2).map((number) => ({
            name: `N ${index} ${number}`,
            v: `${index}-${working.made}-${number}`,
            stage: 'A',
          })),
        )
    })
    const { edit } = changesOf(app)
    try {
      // Each looks at every record: checks it, has it claim its value, takes an option from it.
      expect(await edit(object, (properties) => void (properties.v.maxLength = 100))).toMatchObject({
        state: 'completed',
      })
      expect(await edit(object, (properties) => void (properties.v.xSvcUnique = true))).toMatchObject({
        state: 'completed',
      })
      expect(await edit(object, (properties) => void (properties.stage.enum = ['A']))).toMatchObject({
        state: 'completed',
      })
    } finally {
      working.over = true
      await Promise.all(creating)
    }
    expect(working.made).toBeGreaterThan(0)
  },
)

test('a writer gets there while schemas change all the time', { timeout: 60_000 }, async () => {
  const [written, ...changed] = await Promise.all(range(9).map(() => make({ name })))
  const working = { over: false }
  const changing = changed.map(async (object, index) => {
    const answers: Answer[] = []
    const add = (field: string) =>
      node(index).api.post(`${schemasPath}/${object}/properties`, {
        body: { data: { type: 'schema-properties', attributes: { [field]: { type: 'string' } } } },
      })
    while (!working.over && answers.length < 60) answers.push(await add(`f_${answers.length}`))
    return answers
  })
  const writing = range(6).map(async (index) => {
    const answers: Answer[] = []
    while (answers.length < 10) {
      const answer = await recordsOf(node(index)).post(written!, { name: `N ${index} ${answers.length}` })
      // A busy machine may need more than the seconds that a request waits; it says so (docs/decisions/0061).
      if (answer.status === 503 && answer.headers['retry-after'] !== undefined) continue
      answers.push(answer)
    }
    return answers
  })
  const answers = (await Promise.all(writing)).flat()
  working.over = true
  expect([...new Set(statuses(answers))]).toEqual([201])
  expect([...new Set(statuses((await Promise.all(changing)).flat()))]).toEqual([202])
})
