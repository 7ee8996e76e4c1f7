import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NodeWatch, type WorkspaceNode } from './node-watch.ts'

const here: WorkspaceNode = { group: 1, ids: ['a', 'b'] }
const away: WorkspaceNode = { group: 2, ids: ['c'] }

const list = async (): Promise<WorkspaceNode[]> => [here, away]

/** Nodes on a clock that the test turns, and probes that it answers. */
function watched() {
  let nowMs = 0
  let nodes: readonly WorkspaceNode[] = [here, away]
  const probes: { readonly group: number; readonly answer: (isBack: boolean) => Promise<void> }[] = []
  const watch = new NodeWatch(() => nowMs)
  const present = () =>
    watch.present(
      async () => nodes,
      ({ group }) => {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        const answer = async (isBack: boolean): Promise<void> => {
          resolve(isBack)
          await nextTurn()
        }
        probes.push({ group, answer })
        return promise
      },
    )
  return {
    watch,
    present,
    probes,
    pass: (ms: number) => (nowMs += ms),
    place: (given: typeof nodes) => (nodes = given),
  }
}

test('a node that was lost is left out at once, and no caller waits for its probe', async () => {
  const { watch, present, probes, pass } = watched()
  expect(await present()).toEqual([here, away])
  expect(watch.isAnyLost).toBe(false)
  watch.lose(away)
  expect(watch.isAnyLost).toBe(true)
  expect(await present()).toEqual([here])
  expect(probes).toEqual([])
  pass(2000)
  expect(await present()).toEqual([here])
  pass(60_000)
  expect(await present()).toEqual([here])
  expect(probes.map(({ group }) => group)).toEqual([2])
})

test('it is probed again after a while, until it has answered', async () => {
  const { watch, present, probes, pass } = watched()
  watch.lose(away)
  pass(2000)
  await present()
  await probes[0]?.answer(false)
  expect(await present()).toEqual([here])
  expect(probes).toHaveLength(1)
  pass(2000)
  expect(await present()).toEqual([here])
  await probes[1]?.answer(true)
  expect(watch.isAnyLost).toBe(false)
  expect(await present()).toEqual([here, away])
})

test('the node of a workspace is lost with all of its workspaces, until it has answered', async () => {
  const { watch, present, probes, pass } = watched()
  const lost = () => ['a', 'b', 'c', 'unknown'].filter((id) => watch.hasLost(id))
  await watch.loseNodeOf('unknown', list)
  expect(lost()).toEqual([])
  await watch.loseNodeOf('a', list)
  expect(lost()).toEqual(['a', 'b'])
  pass(2000)
  await present()
  expect(lost()).toEqual(['a', 'b'])
  await probes[0]?.answer(true)
  expect(lost()).toEqual([])
})

test('nodes that could not be listed are listed again', async () => {
  const { watch } = watched()
  await expect(watch.loseNodeOf('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  await watch.loseNodeOf('a', list)
  expect(watch.hasLost('a')).toBe(true)
})

test('a lost node that has no workspaces any more is forgotten', async () => {
  const { watch, present, pass, place } = watched()
  watch.lose(away)
  expect(await present()).toEqual([here])
  place([{ group: 1, ids: ['a', 'b', 'c'] }])
  pass(5000)
  expect(await present()).toEqual([{ group: 1, ids: ['a', 'b', 'c'] }])
  expect(watch.isAnyLost).toBe(false)
})
