import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'

const { api } = await startApp()

const fetchNarrowed = (objects: string) => api.get('/workspaces/acme/openapi.json', { query: { objects } })

/** The object whose path it is; none where it takes any. */
const objectOf = (path: string): string | undefined => /\/objects\/([^/{]+)\//.exec(path)?.[1]

const namesIn = (components: Json): string[] =>
  Object.entries(components as Record<string, Json>)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, byName]) => Object.keys(byName).map((name) => `${kind}/${name}`))

test('a narrowed document has the paths of its objects as the whole one has them, and no other', async () => {
  const { body: whole } = await api.get('/workspaces/acme/openapi.json')
  const { body: narrow, headers } = await fetchNarrowed('person,deal,person')
  const expected = Object.entries(whole.paths).filter(([path]) =>
    ['person', 'deal', undefined].includes(objectOf(path)),
  )
  expect(expected.length).toBeLessThan(Object.keys(whole.paths).length)
  expect(narrow.paths).toEqual(Object.fromEntries(expected))
  expect(narrow['x-tagGroups'][0].tags).toEqual(['deal', 'person'])
  expect((await fetchNarrowed('deal,person')).headers['etag']).toBe(headers['etag'])
  expect((await fetchNarrowed('deal')).headers['etag']).not.toBe(headers['etag'])
})

test.each(['person', 'deal', 'deal,person'])(
  'narrowed to %s it refers to nothing that is not there, and holds nothing without a reference to it',
  async (objects) => {
    const { body } = await fetchNarrowed(objects)
    const references = JSON.stringify(body).matchAll(/"#\/components\/(\w+\/[^"]+)"/g)
    const pointers = new Set([...references].map(([, pointer = '']) => pointer))
    expect([...pointers].toSorted()).toEqual(namesIn(body.components).toSorted())
  },
)

test('who narrows it to an object that is not there is told which ones are', async () => {
  const { status, body } = await fetchNarrowed('person,peron')
  const [{ code, source, detail, meta }] = body.errors
  expect([status, code, source]).toEqual([400, 'unknown_value', { parameter: 'objects' }])
  expect(detail).toContain('Did you mean "person"?')
  expect(meta.allowed).toContain('deal')
  expect((await fetchNarrowed('')).status).toBe(400)
})
