import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { bundleFromString, createConfig } from '@redocly/openapi-core'
import * as readme from '@readme/openapi-parser'
import * as scalar from '@scalar/openapi-parser'
import { transformOas3Operations } from '@stoplight/http-spec/oas3'
import { transformPostmanCollectionOperations } from '@stoplight/http-spec/postman'

const docs = '../../packages/docs/'
const read = async (path: string) => JSON.parse(await readFile(new URL(docs + path, import.meta.url), 'utf8'))
const document = await read('openapi.json')

type Item = Readonly<Record<string, { readonly operationId?: string }>>

const idsIn = (paths: object = {}): string[] =>
  Object.values(paths as Readonly<Record<string, Item>>)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId }) => (operationId === undefined ? [] : [operationId]))

/** The operations as each of the programs that show documents has loaded them. */
const loaders: Readonly<Record<string, (copy: never) => Promise<string[]>>> = {
  Scalar: async (copy) => {
    const { valid, errors } = await scalar.validate(copy)
    assert.deepEqual([valid, errors ?? []], [true, []])
    const { schema, errors: unresolved } = scalar.dereference(copy)
    assert.deepEqual(unresolved ?? [], [])
    return idsIn((schema as { paths?: object }).paths)
  },
  'ReadMe and starlight-openapi': async (copy) => {
    const found = await readme.validate(structuredClone(copy))
    assert.deepEqual(found, { valid: true, warnings: [], specification: 'OpenAPI' })
    return idsIn(((await readme.dereference(copy)) as { paths?: object }).paths)
  },
  Redoc: async (copy) => {
    const config = await createConfig({})
    const { bundle: loaded, problems } = await bundleFromString({ source: JSON.stringify(copy), config })
    assert.deepEqual(problems, [])
    return idsIn((loaded.parsed as { paths?: object }).paths)
  },
  'Stoplight Elements': async (copy) =>
    transformOas3Operations(copy).flatMap(({ iid }) => (iid === undefined ? [] : [iid])),
}

for (const [name, load] of Object.entries(loaders))
  void test(`${name} loads the document, with every operation`, async () => {
    const expected = idsIn(document.paths)
    assert.ok(expected.length > 150)
    assert.deepEqual((await load(structuredClone(document) as never)).toSorted(), expected.toSorted())
  })

const place = ({ method, path }: { method: string; path: string }) => `${method.toLowerCase()} ${path}`

void test('a reader of collections finds every operation in ours', async () => {
  const collection = await read('dist/kontor.postman_collection.json')
  const found = transformPostmanCollectionOperations(collection)
  const expected = Object.entries(document.paths as Readonly<Record<string, Item>>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => place({ method, path })),
  )
  assert.deepEqual(found.map(place).toSorted(), expected.toSorted())
})
