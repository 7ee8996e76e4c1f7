import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareSlots } from './fair-share.ts'

const share = (
  jobs: Record<string, number>,
  slots: { free: number; eachMax?: number; held?: Record<string, number>; turns?: Record<string, number> },
) =>
  Object.fromEntries(
    shareSlots(
      Object.entries(jobs).map(([workspaceId, count]) => ({ workspaceId, jobs: count })),
      {
        free: slots.free,
        eachMax: slots.eachMax ?? slots.free,
        held: new Map(Object.entries(slots.held ?? {})),
        lastTurn: (id) => slots.turns?.[id] ?? 0,
      },
    ),
  )

describe('free slots', () => {
  test('are shared alike, however many jobs a workspace has', () => {
    expect(share({ a: 100_000, b: 2, c: 1 }, { free: 6 })).toEqual({ a: 3, b: 2, c: 1 })
  })

  test('go to those who hold fewest, and among them to those who have waited longest', () => {
    expect(share({ a: 9, b: 9, c: 9 }, { free: 2, held: { a: 2 } })).toEqual({ b: 1, c: 1 })
    expect(share({ a: 9, b: 9, c: 9 }, { free: 2, turns: { a: 3, b: 1, c: 2 } })).toEqual({ b: 1, c: 1 })
  })

  test('are left free rather than given all to one', () => {
    expect(share({ a: 9 }, { free: 4, eachMax: 3 })).toEqual({ a: 3 })
    expect(share({ a: 9 }, { free: 2, eachMax: 3, held: { a: 2 } })).toEqual({ a: 1 })
  })

  test('are never given twice, nor beyond what is asked and allowed, nor kept from one who may have them', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const counts = fc.dictionary(ids, fc.nat(8))
    fc.assert(
      fc.property(counts, counts, fc.nat(12), fc.integer({ min: 1, max: 6 }), (jobs, held, free, eachMax) => {
        const given = share(jobs, { free, eachMax, held })
        const total = Object.values(given).reduce((sum, count) => sum + count, 0)
        expect(total).toBeLessThanOrEqual(free)
        const mayHave = Object.entries(jobs).map(
          ([id, count]) => [id, Math.max(0, Math.min(count, eachMax - (held[id] ?? 0)))] as const,
        )
        for (const [id, most] of mayHave) expect(given[id] ?? 0).toBeLessThanOrEqual(most)
        expect(total).toBe(
          Math.min(
            free,
            mayHave.reduce((sum, [, most]) => sum + most, 0),
          ),
        )
      }),
    )
  })
})
