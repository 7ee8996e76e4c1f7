import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { Random } from '../harness/random.ts'
import { startApp, type TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf, schemasPath } from '../harness/schemas.ts'
import { evolve, firstProperties, letters, randomAttributes } from './evolution/changes.ts'
import { isThere, isToMany, kindOf, valueFault } from '../harness/reference-values.ts'
import { isFull, runSeed, sized } from '../harness/size.ts'

const indexed = { fieldIndexThreshold: 50 }
const seed = runSeed

/** Waits for the task of a change; its attributes, or undefined where the document was refused. */
async function change(app: TestApp, object: string, document: Json): Promise<Json> {
  const { status, body } = await changesOf(app).put(object, document)
  if (status === 422) return undefined
  expect(status, JSON.stringify(body)).toBe(200)
  return changesOf(app).end(body.data.id)
}

test(
  'a change is made exactly where every record fits, and else its task counts those that do not, field by field',
  { timeout: 240_000 },
  async () => {
    const app = await startApp(indexed)
    await app.startJobs()
    const { make, get } = schemasOf(app)
    const records = recordsOf(app)
    const random = new Random(seed, 1)
    const object = await make(firstProperties)
    const outcomes = new Map<string, number>()
    for (let step = 0; step < sized(60, 12); step++) {
      const before = await get(object)
      if (step % 12 === 0) {
        const rows = Array.from({ length: 20 }, () => fitting(random, before)).filter((one) => one !== undefined)
        if (rows.length > 0) await records.createMany(object, rows)
      }
      const after = structuredClone(before)
      const what = `${step}: ${evolve(random, after, [object])}`
      const rows = (await records.list(object, { 'page[limit]': 1000 })).body.data.map(
        ({ attributes }: Json) => attributes,
      )
      const expected = faultsByField(before, after, rows)
      const attributes = await change(app, object, after)
      const state = attributes?.state ?? 'refused'
      outcomes.set(state, (outcomes.get(state) ?? 0) + 1)
      if (state === 'refused') continue
      expect(attributes.state, `${what} ${JSON.stringify([attributes.metadata, expected])}`).toBe(
        Object.keys(expected).length === 0 ? 'completed' : 'failed',
      )
      const told: Json = {}
      for (const { field, count } of attributes.metadata.errors ?? []) told[field] = (told[field] ?? 0) + count
      expect(told, what).toEqual(expected)
      if (state === 'failed') expect(await get(object)).toEqual(before)
      if (step % 10 === 9) {
        await app.cleaned()
        await app.indexes.ready()
        expect(await app.tableFaults([object]), what).toEqual([])
      }
    }
    for (const state of ['completed', 'failed'])
      expect(outcomes.get(state) ?? 0, JSON.stringify([...outcomes])).toBeGreaterThan(sized(5, 0))
  },
)

/** Attributes that the schema takes, with something in what has to be there; undefined where none are found. */
function fitting(random: Random, { properties, required = [] }: Json): Json {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const attributes = randomAttributes(random, properties, () => [], true)
    const isUnique = (name: string) => properties[name].xSvcUnique === true
    for (const name of Object.keys(attributes)) if (isUnique(name) && !required.includes(name)) attributes[name] = null
    const fits =
      Object.entries(attributes).every(([name, value]) => valueFault(properties[name], value) === undefined) &&
      required.every((name: string) => isThere(attributes[name]))
    if (fits) return attributes
  }
  return undefined
}

/**
 * By field, how many records a change is wrong with, by what it says itself: an option that goes is cleared, nothing is
 * converted.
 */
function faultsByField(before: Json, after: Json, rows: readonly Json[]): Json {
  const found: Json = {}
  const claims = new Map<string, Json[]>()
  const add = (name: string, count: number) => {
    if (count > 0) found[name] = (found[name] ?? 0) + count
  }
  for (const [name, { xSvcPrevName, ...schema }] of Object.entries<Json>(after.properties)) {
    const old = xSvcPrevName ?? name
    const was = before.properties[old]
    if (isToMany(schema)) continue
    const kept = rows.map((row) => (was === undefined ? null : cleared(was, schema, row[old])))
    add(name, kept.filter((value) => isThere(value) && valueFault(schema, value) !== undefined).length)
    if (after.required?.includes(name) === true) add(name, kept.filter((value) => !isThere(value)).length)
    if (schema.xSvcUnique === true) claims.set(name, kept)
  }
  // Values are claimed only where all of them fit.
  if (Object.keys(found).length === 0) for (const [name, kept] of claims) add(name, twins(kept))
  return found
}

function cleared(was: Json, schema: Json, value: Json): Json {
  if (kindOf(was) !== kindOf(schema) || schema.enum === undefined || !isThere(value)) return value
  if (kindOf(schema) === 'select') return schema.enum.includes(value) ? value : null
  return { items: value.items.filter((item: string) => schema.enum.includes(item)) }
}

/** Records that claim a value which an earlier one has. */
function twins(values: readonly Json[]): number {
  const seen = new Set<string>()
  return values.filter((value) => {
    const claims: string[] = isThere(value)
      ? [value.items ?? value].flat().map((one: Json) => String(one).toLowerCase())
      : []
    const taken = claims.some((one) => seen.has(one))
    for (const one of claims) seen.add(one)
    return taken
  }).length
}

test.runIf(isFull())(
  'while two apps in one process write and read, schemas evolve: nothing is lost, nothing is half, and the ' +
    'tables are what the schemas say',
  { timeout: 300_000 },
  async () => {
    const app = await startApp(indexed)
    const beside = await startApp({ ...indexed, beside: app })
    await Promise.all([app.startJobs(), beside.startJobs()])
    const { make, get } = schemasOf(app)
    const objects = [await make(firstProperties), await make(firstProperties)]
    const random = new Random(seed, 2)
    for (const object of objects)
      await recordsOf(app).createMany(
        object,
        Array.from({ length: 120 }, () => randomAttributes(random, firstProperties, () => [])),
      )
    /** Every document that was in force at some time, by its object. */
    const history = new Map<string, Json[]>()
    for (const object of objects) history.set(object, [await get(object)])
    const over = { is: false }
    const written = new Map<number, number>()
    const seen: { readonly object: string; readonly rows: Json[] }[] = []
    const others = [
      writer(app, objects, new Random(seed, 3), over, written),
      writer(beside, objects, new Random(seed, 4), over, written),
      reader(app, objects, new Random(seed, 5), over, seen),
      reader(beside, objects, new Random(seed, 6), over, seen),
    ]
    const outcomes = new Map<string, number>()
    const count = (state: string) => void outcomes.set(state, (outcomes.get(state) ?? 0) + 1)
    try {
      for (let step = 0; step < 24; step++) {
        const object = objects[step % 2] as string
        const node = random.chance(0.5) ? app : beside
        count(await oneChange(node, random, object, objects))
        // The app that has put a change in force knows of it; the other may learn of the next one first.
        for (const one of objects) for (const at of [app, beside]) history.get(one)?.push(await schemasOf(at).get(one))
      }
    } finally {
      over.is = true
      await Promise.all(others)
    }
    await Promise.all([app.cleaned(), beside.idle()])
    await app.indexes.ready()
    expect(await app.tableFaults(objects)).toEqual([])
    for (const state of ['completed', 'failed'])
      expect(outcomes.get(state) ?? 0, JSON.stringify([...outcomes])).toBeGreaterThan(2)
    expect([...written.keys()].filter((status) => ![200, 201, 404, 409, 422].includes(status))).toEqual([])
    expect((written.get(201) ?? 0) + (written.get(200) ?? 0), JSON.stringify([...written])).toBeGreaterThan(100)
    expect(seen.length).toBeGreaterThan(50)
    for (const { object, rows } of seen) expect(mixture(history.get(object) ?? [], rows), object).toBeUndefined()
  },
)

/** Changes a schema in one of the ways that there are; how it ended. */
async function oneChange(node: TestApp, random: Random, object: string, objects: readonly string[]): Promise<string> {
  const { get } = schemasOf(node)
  const document = await get(object)
  const select = Object.keys(document.properties).find((name) => document.properties[name].xSvcType === 'select')
  if (select !== undefined && random.chance(0.15)) {
    const body = {
      data: [
        {
          type: 'schema-properties',
          id: document.$id,
          attributes: { [select]: { enum: [random.pick(letters)] } },
          meta: { [select]: { enum: random.pick(['append', 'remove']) } },
        },
      ],
    }
    const { status } = await node.api.patch(schemasPath, { body })
    expect([200, 422]).toContain(status)
    await node.idle()
    return 'options'
  }
  evolve(random, document, objects)
  if (random.chance(0.85)) return (await change(node, object, document))?.state ?? 'refused'
  const { status, body } = await changesOf(node).put(object, document)
  if (status !== 200) return 'refused'
  await node.api.post(`/workspaces/acme/async-tasks/${body.data.id}/cancel`)
  return (await changesOf(node).end(body.data.id)).state
}

async function writer(
  node: TestApp,
  objects: readonly string[],
  random: Random,
  over: { is: boolean },
  written: Map<number, number>,
): Promise<void> {
  const records = recordsOf(node, 'adminKey')
  const ids = new Map<string, string[]>(objects.map((object) => [object, []]))
  while (!over.is) {
    const object = random.pick(objects)
    const known = ids.get(object) as string[]
    const { properties } = (await node.api.get(objectPath(object), { as: 'adminKey' })).body.data.attributes
    for (let round = 0; round < 8 && !over.is; round++) {
      const attributes = randomAttributes(random, properties, (entity) => ids.get(entity) ?? [])
      const id = known.length === 0 ? undefined : random.pick(known)
      const answer =
        id === undefined || random.chance(0.4)
          ? await records.post(object, attributes)
          : await random.weighted([
              [6, () => records.patch(object, id, attributes)],
              [1, () => records.remove(object, [id])],
              [1, () => records.restore(object, [id])],
            ] as const)()
      written.set(answer.status, (written.get(answer.status) ?? 0) + 1)
      if (answer.status === 201) known.push(answer.body.data.id)
    }
  }
}

async function reader(
  node: TestApp,
  objects: readonly string[],
  random: Random,
  over: { is: boolean },
  seen: { readonly object: string; readonly rows: Json[] }[],
): Promise<void> {
  while (!over.is) {
    const object = random.pick(objects)
    const names = Object.keys(
      (await node.api.get(objectPath(object), { as: 'adminKey' })).body.data.attributes.properties,
    )
    const query = random.chance(0.5)
      ? { 'sortOrder[column]': random.pick(names), 'sortOrder[dir]': random.pick(['ASC', 'DESC']) }
      : { [`filter[${random.pick(names)}][Is not empty]`]: '' }
    const { status, body } = await node.api.get(resourcesPath(object), {
      as: 'adminKey',
      query: { ...query, 'page[limit]': 30 },
    })
    expect([200, 400]).toContain(status)
    if (status === 200) seen.push({ object, rows: body.data.map(({ attributes }: Json) => attributes) })
  }
}

const system = new Set(['_id', '_created_at', '_created_by', '_updated_at', '_updated_by', '_merged_ids'])

/**
 * Finds in one answer what is of no single state of the object; an app may be some seconds behind, and then sees later
 * writes.
 */
function mixture(documents: readonly Json[], rows: readonly Json[]): string | undefined {
  const shapes = new Set(rows.map((row) => JSON.stringify(Object.keys(row).filter((name) => !system.has(name)))))
  if (shapes.size > 1) return `records of several shapes: ${[...shapes].join(' ')}`
  const [shape] = shapes
  if (shape === undefined) return undefined
  const states = documents.filter(({ properties }) =>
    isDeepStrictEqual(
      Object.keys(properties).filter((name) => !isToMany(properties[name])),
      JSON.parse(shape),
    ),
  )
  if (states.length === 0) return `records of no state: ${shape}`
  const faults = rows.flatMap((row) =>
    JSON.parse(shape).flatMap((name: string) =>
      documents.some(
        ({ properties }) => properties[name] !== undefined && valueFault(properties[name], row[name]) === undefined,
      )
        ? []
        : `${name} ${JSON.stringify(row[name])}`,
    ),
  )
  return faults.length === 0 ? undefined : `values of no state: ${faults.join(', ')}`
}
