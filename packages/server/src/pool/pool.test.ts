import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { defineTask, Pool, PoolBusy, type PoolOptions, type Task, type TaskLimits } from './index.ts'

type Work = readonly [work: string, given?: unknown]

const limits: TaskLimits = { cpuMs: 300, wallMs: 60_000, heapMiB: 32, inputBytes: 2 ** 16, outputBytes: 2 ** 16 }
const taskWith = (changes: Partial<TaskLimits>): Task<Work, unknown> =>
  defineTask({
    name: 'test',
    module: new URL('testing/exhaust.task.ts', import.meta.url),
    limits: { ...limits, ...changes },
  })
const task = taskWith({})
/** For what ends before any limit of time. */
const patient = taskWith({ cpuMs: 60_000 })

const pools: Pool[] = []
const poolWith = (options: PoolOptions = {}) => {
  const made = new Pool(options)
  pools.push(made)
  return made
}
const pool = poolWith()
afterEach(() => void vi.useRealTimers())
afterAll(() => {
  for (const each of pools) each.close()
})

test('hands values over and back, bytes included', async () => {
  const given = { text: 'é', bytes: Buffer.from([0, 255]), map: new Map([[1, undefined]]) }
  expect(await pool.run('a', task, ['echo', given])).toEqual(given)
})

test.each([
  ['task_time_exceeded', task, ['loop']],
  ['task_time_exceeded', task, ['pattern']],
  ['task_out_of_memory', patient, ['heap']],
  ['task_out_of_memory', patient, ['buffers']],
  ['task_crashed', task, ['exit']],
  ['task_crashed', task, ['deep']],
  ['task_crashed', task, ['wasm']],
  ['task_output_too_large', task, ['large']],
  ['task_input_too_large', task, ['echo', 'x'.repeat(2 ** 17)]],
] as const)('fails with %s, and runs the next task', async (code, given, work) => {
  await expect(pool.run('a', given, work)).rejects.toMatchObject({ name: 'TaskFailure', code })
  expect(await pool.run('a', task, ['echo', 1])).toBe(1)
})

test('ends a task that takes too long without computing', async () => {
  const { pid } = process
  const single = poolWith({ processesMax: 1 })
  await single.run('a', task, ['pid'])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const waiting = single.run('a', task, ['wait'])
  await nextTurn()
  vi.advanceTimersByTime(limits.wallMs)
  await expect(waiting).rejects.toMatchObject({ code: 'task_time_exceeded' })
  expect(single.processes).toBe(0)
  expect(process.pid).toBe(pid)
})

test('counts the tasks that failed because of their input', async () => {
  expect(pool.failures.get('task_time_exceeded')).toBe(2)
  expect(pool.failures.get('task_out_of_memory')).toBe(2)
})

test('a bug in a task rejects, and is no fault of the input', async () => {
  await expect(pool.run('a', task, ['throw'])).rejects.toMatchObject({
    name: 'Error',
    message: expect.stringContaining('a bug'),
  })
})

test('a process whose task has thrown runs no other, since its modules may be in pieces', async () => {
  const single = poolWith({ processesMax: 1 })
  const first = await single.run('a', task, ['pid'])
  for (const work of ['throw', 'deep', 'wasm'] as const) await expect(single.run('a', task, [work])).rejects.toThrow()
  expect(single.processes).toBe(0)
  expect(await single.run('b', task, ['pid'])).not.toBe(first)
})

test('gives a task no rights', async () => {
  for (const [work, message] of [
    ['write', '--allow-fs-write'],
    ['spawn', '--allow-child-process'],
    ['code', 'Code generation from strings disallowed'],
  ] as const)
    await expect(pool.run('a', task, [work])).rejects.toThrow(message)
})

test('runs tasks of a workspace in turn in one process, and in another where the heap differs', async () => {
  const single = poolWith({ processesMax: 1 })
  const pids = await Promise.all([1, 2, 3].map(() => single.run('a', task, ['pid'])))
  expect(new Set(pids).size).toBe(1)
  expect(await single.run('a', taskWith({ heapMiB: 48 }), ['pid'])).not.toBe(pids[0])
  expect(single.processes).toBe(1)
})

test('leaves a process to other workspaces, whoever asks for how much', async () => {
  const two = poolWith({ processesMax: 2 })
  const controller = new AbortController()
  const flood = Array.from({ length: 20 }, () => two.run('a', task, ['wait'], controller.signal))
  expect([two.running, two.waiting]).toEqual([1, 19])
  expect(await two.run('b', task, ['echo', 1])).toBe(1)
  controller.abort(new Error('enough'))
  for (const each of flood) await expect(each).rejects.toThrow('enough')
  expect([two.running, two.waiting]).toEqual([0, 0])
})

test('a task without a turn is put off, and has not begun', async () => {
  const single = poolWith({ processesMax: 1, waitMsMax: 50 })
  const controller = new AbortController()
  const waiting = single.run('a', task, ['wait'], controller.signal)
  await expect(single.run('b', task, ['echo', 1])).rejects.toThrow(PoolBusy)
  const most = Array.from({ length: 50 }, () => single.run('b', task, ['echo', 1]))
  await expect(single.run('b', task, ['echo', 1])).rejects.toThrow('wait for their turn already')
  for (const each of most) await expect(each).rejects.toThrow(PoolBusy)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(single.run('b', task, ['echo', 1], controller.signal)).rejects.toThrow('enough')
})

test('a task waits for no more than one of another kind, of which its workspace has many', async () => {
  const single = poolWith({ processesMax: 1 })
  const controller = new AbortController()
  const first = single.run('a', task, ['wait'], controller.signal)
  const ended: string[] = []
  const note = (given: typeof task) => single.run('a', given, ['pid']).then(() => void ended.push(given.name))
  const many = Array.from({ length: 50 }, () => note(task))
  await expect(note(task)).rejects.toThrow('wait for their turn already')
  const other = note({ ...task, name: 'other' })
  controller.abort(new Error('enough'))
  await expect(first).rejects.toThrow('enough')
  await Promise.all([...many, other])
  expect(ended.indexOf('other')).toBeLessThan(2)
})

test('a process without work ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const short = poolWith({ idleMs: 100 })
  await short.run('a', task, ['echo', 1])
  vi.advanceTimersByTime(99)
  expect(short.processes).toBe(1)
  vi.advanceTimersByTime(1)
  expect(short.processes).toBe(0)
})

test('a pool that is closed ends what runs and starts nothing', async () => {
  const closed = poolWith()
  const waiting = closed.run('a', task, ['wait'])
  closed.close()
  await expect(waiting).rejects.toThrow('The server is stopping.')
  await expect(closed.run('a', task, ['echo', 1])).rejects.toThrow('The server is stopping.')
  expect(closed.processes).toBe(0)
})
