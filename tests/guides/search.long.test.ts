import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

const app = await startApp()

test('a search of the pages takes no 50 ms', async () => {
  const browser = createContext({})
  for (const name of ['minisearch', 'search-data', 'search'])
    runInContext((await app.http.send({ method: 'GET', url: `${app.origin}/docs/assets/${name}.js` })).body, browser)
  const find = runInContext('createSearch(MiniSearch, searchData)', browser) as (query: string) => unknown[]
  const words = runInContext('Object.keys(searchData.words)', browser) as string[]
  expect(words.length).toBeGreaterThan(20)
  const took = words.map((query) => {
    const began = performance.now()
    expect(find(query)).not.toEqual([])
    return performance.now() - began
  })
  expect(took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]).toBeLessThan(50)
})
