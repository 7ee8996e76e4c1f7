import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { schemasOf } from '../harness/schemas.ts'

/** Below the clients' package, where imports find what it depends on; its generated files are in no repository. */
const folder = fileURLToPath(new URL('../clients/generated/workspace', import.meta.url))
const docs = fileURLToPath(new URL('../../packages/docs', import.meta.url))
const clients = fileURLToPath(new URL('../clients', import.meta.url))

function run(home: string, program: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(join(home, 'node_modules/.bin', program), args, {
    cwd: home,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  return { status, output: stdout + stderr }
}

/** Lines that must compile against the generated clients, and lines that must not. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-typescript.d.ts'
import {
  recordsCreateCEverything,
  relationshipsListCEverythingParts,
  resourcesListCEverything,
} from './hey-api/sdk.gen.ts'
import { recordsCreateCEverything as createByOrval, resourcesListCEverything as listByOrval } from './orval.ts'
import type { CMapRecord, CPart1Record, CPartX1Record } from './orval.ts'

type Select = 'A' | "it's \\"so\\" */" | 'C\\\\n' | null
const path = { workspace: 'acme' }
const client = createClient<paths>({ baseUrl: 'http://kontor.test/v1' })
const O = '/workspaces/{workspace}/objects/c_everything/resources' as const

export async function withOpenApiFetch() {
  const filter = { 'filter[rating][Greater than]': 3 }
  const { data } = await client.GET(O, {
    params: { path, query: { 'sortOrder[column]': 'rating', include: ['parts.whole'], filter } },
  })
  const select: Select | undefined = data?.data[0]?.attributes.select
  const count: number | undefined = data?.data[0]?.relationships.parts?.meta.count
  const included = data?.included[0]
  const name: string | null | undefined = included?.type === 'person' ? included.attributes.name?.last_name : undefined
  // @ts-expect-error there is no such column
  await client.GET(O, { params: { path, query: { 'sortOrder[column]': 'ratings' } } })
  // @ts-expect-error there is no such relationship
  await client.GET(O, { params: { path, query: { include: ['part'] } } })
  // @ts-expect-error there is no such attribute
  const nothing: unknown = data?.data[0]?.attributes.ratings
  // @ts-expect-error this is no option
  await client.POST(O, { params: { path }, body: { data: { type: 'c_everything', attributes: { select: 'B' } } } })
  // @ts-expect-error this is not written
  await client.POST(O, { params: { path }, body: { data: { type: 'c_everything', attributes: { internal: 'x' } } } })
  const relationships = { whole: { data: { type: 'person', id: 'x' } } } as const
  // @ts-expect-error the links of another object
  await client.POST(O, { params: { path }, body: { data: { type: 'c_everything', attributes: {}, relationships } } })
  const input: components['schemas']['CEverythingInput'] = {
    tags: { items: ['x'] },
    select: 'A',
    place: { city: 'Bern' },
  }
  return { select, count, name, nothing, input }
}

export async function withHeyApi() {
  const { data } = await resourcesListCEverything({
    path,
    query: { 'sortOrder[column]': 'rating', include: ['parts.whole'] },
  })
  const select: Select | undefined = data?.data[0]?.attributes.select
  const included = data?.included[0]
  const name: string | null | undefined = included?.type === 'person' ? included.attributes.name?.last_name : undefined
  // @ts-expect-error there is no such attribute
  const nothing: unknown = data?.data[0]?.attributes.ratings
  // @ts-expect-error this is no option
  await recordsCreateCEverything({ path, body: { data: { type: 'c_everything', attributes: { select: 'B' } } } })
  const parts = await relationshipsListCEverythingParts({
    path: { ...path, id: 'x' },
    query: { include: ['parts.whole'] },
  })
  const rating: number | null | undefined = parts.data?.data[0]?.attributes.rating
  return { select, name, nothing, rating }
}

export async function withOrval(map: CMapRecord) {
  const answer = await listByOrval('acme', { 'sortOrder[column]': 'rating', include: ['parts.whole'] })
  const data = answer.status === 200 ? answer.data : undefined
  const select: Select | undefined = data?.data[0]?.attributes.select
  const included = data?.included[0]
  const name: string | null | undefined = included?.type === 'person' ? included.attributes.name?.last_name : undefined
  // @ts-expect-error there is no such attribute
  const nothing: unknown = data?.data[0]?.attributes.ratings
  // @ts-expect-error this is no option
  await createByOrval('acme', { data: { type: 'c_everything', attributes: { select: 'B' } } })
  const types: ['c_map', 'c_part1' | undefined, 'c_part_1' | undefined] = [
    map.type,
    undefined as CPart1Record['type'] | undefined,
    undefined as CPartX1Record['type'] | undefined,
  ]
  return { select, name, nothing, types }
}
`

const everything = {
  name: { type: 'string', xSvcPrimary: true, title: 'Ends */ `here` "q"\n', description: 'a\u2028b' },
  select: { xSvcType: 'select', enum: ['A', 'it\'s "so" */', 'C\\n'] },
  tags: { xSvcType: 'multi_select', enum: ['x', 'y'] },
  rating: { xSvcType: 'rating', deprecated: true },
  place: { xSvcType: 'location' },
  note: { xSvcType: 'rich_text' },
  anything: { xSvcType: 'json' },
  internal: { type: 'string', readOnly: true },
  emails: { xSvcType: 'email_addresses', xSvcUnique: true },
  whole: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_everything', field: 'parts' } },
  parts: { xSvcRelationship: { kind: 'one-to-many', entity: 'c_everything', field: 'whole' } },
}

/** Called like globals of JavaScript and TypeScript. */
const shadowing = ['Map', 'Promise', 'Error', 'O S E algorithm'].map((name) => ({ name, plural: `${name} all` }))

// The output of generators does not depend on the database.
describe.runIf(inject('database') === 'sqlite')('what others make of the document', () => {
  beforeAll(async () => {
    const { api } = await startApp()
    const { post } = schemasOf({ api })
    for (const body of [
      { name: 'Everything', plural: 'Every */ thing', properties: everything },
      { name: 'Part 1', plural: 'Parts' },
      { name: 'Part1', plural: 'Parts' },
      ...shadowing,
    ] as Json[]) {
      const { status, body: answer } = await post(body)
      expect(status, JSON.stringify(answer)).toBe(201)
    }
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify((await api.get('/workspaces/acme/openapi.json')).body))
    return () => rmSync(folder, { recursive: true, force: true })
  })

  test('redocly finds nothing to say', () => {
    // Its paths are those of the committed document, where the ambiguous ones are named.
    const skipped = ['--skip-rule', 'no-ambiguous-paths']
    const { status, output } = run(
      docs,
      'redocly',
      'lint',
      join(folder, 'openapi.json'),
      '--format',
      'json',
      ...skipped,
    )
    expect(status, output).toBe(0)
    expect(JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1))).toMatchObject({
      totals: { errors: 0, warnings: 0, ignored: 0 },
    })
  })

  test('openapi-typescript, hey-api and orval write clients that are typed for the objects', () => {
    const document = join(folder, 'openapi.json')
    for (const { status, output } of [
      run(clients, 'openapi-typescript', document, '-o', join(folder, 'openapi-typescript.d.ts')),
      run(clients, 'openapi-ts', '-i', document, '-o', join(folder, 'hey-api')),
      run(clients, 'orval', '-i', document, '-o', join(folder, 'orval.ts'), '--client', 'fetch'),
    ]) {
      expect(status, output).toBe(0)
    }
    writeFileSync(join(folder, 'use.ts'), program)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { skipLibCheck: false, types: ['node'] },
        include: ['.'],
        exclude: [],
      }),
    )
    expect(run(clients, 'tsc', '-p', folder)).toEqual({ status: 0, output: '' })
  }, 300_000)
})
