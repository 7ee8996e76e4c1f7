import { expect, test, vi } from 'vitest'
import { DatabaseOverloaded } from '../../db/errors.ts'
import type { Membership } from '../actor.ts'
import { StaleSchema, withFreshSchemas } from './schema-check.ts'

const runtime = { forgetMemberships: () => undefined }
const membership = (schemaEpoch: number): Membership => ({ workspaceId: '', slug: '', role: 'admin', schemaEpoch })

/** Runs work that takes so long and meets so many changes of schemas; the epoch that it used in the end. */
async function epochUsed(tookMs: number, changes: number): Promise<number> {
  let nowMs = 0
  let epoch = 0
  using _clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  return await withFreshSchemas(
    runtime,
    membership(0),
    async () => membership(epoch),
    async (workspace) => {
      nowMs += tookMs
      if (epoch === changes) return workspace.schemaEpoch
      epoch++
      throw new StaleSchema()
    },
  )
}

test('work is run again with the schemas that are current then, for five seconds', async () => {
  expect(await epochUsed(1000, 3)).toBe(3)
  await expect(epochUsed(1000, 10)).rejects.toThrow(DatabaseOverloaded)
})

test('work that has waited for long before it met a change is run again all the same', async () => {
  expect(await epochUsed(20_000, 1)).toBe(1)
})
