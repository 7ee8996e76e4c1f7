import { expect, test } from 'vitest'
import { migrations } from '../../packages/server/src/db/migrations/index.ts'
import { dumpSchema } from './dump.ts'
import { freshDatabase, freshUrl, open } from './fresh.ts'
import { run } from './programs/run.ts'

const latest = migrations.length

test('four processes that start at once migrate once', async () => {
  const url = await freshUrl()
  const outputs = await Promise.all(Array.from({ length: 4 }, () => run('start', url)))
  expect(outputs.map((output) => output.replace('waited ', ''))).toEqual(
    Array.from({ length: 4 }, () => String(latest)),
  )
  const alone = await freshDatabase()
  expect(await dumpSchema(open(url))).toBe(await dumpSchema(alone))
})
