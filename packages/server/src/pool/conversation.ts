import { serialize } from 'node:v8'
import type { KeptAnswers } from './kept.ts'
import type { Past } from './protocol.ts'
import { PoolBusy, TaskFailure, type Host } from './task.ts'

/** Answers that are kept for one task. One that has had more is not run again: it keeps its process. */
const keptBytesMax = 16 << 20

type Place = { readonly workspaceId: string; readonly kept: KeptAnswers; readonly callsMax: number }

type Follower = { readonly answer: (answer: Buffer) => void; readonly fail: (error: unknown) => void }

/** Receiver of responses and failures: a run of the task, or the wait before it runs again. */
type Listener = Follower & { readonly isRun: boolean }

/** The conversation between the server and a task, over all runs of the task. */
export class Conversation {
  readonly #host: Host<unknown, unknown>
  readonly #place: Place
  #answers: Buffer[] = []
  #answered = 0
  #bytes = 0
  #calls = 0
  #lines = 0
  #isKept = true
  #failure: { readonly error: unknown } | undefined
  #listener: Listener | undefined

  constructor(host: Host<unknown, unknown>, place: Place) {
    this.#host = host
    this.#place = place
  }

  get past(): Past {
    return { answers: [...this.#answers], calls: this.#calls, lines: this.#lines }
  }

  /** Answers that the task has been given, or will be when it is run again. */
  get answers(): number {
    return this.#answered
  }

  /** Returns whether the task can be run again. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** Hands answers, and a failure, to a run of the task until the returned function is called. */
  follow(listener: Follower): () => void {
    return this.#listen({ ...listener, isRun: true })
  }

  /** Waits until there are more answers than so many. */
  async hasMore(than: number, waitMsMax: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = () => reject(signal?.reason)
    const late = () => reject(new TaskFailure('task_time_exceeded', 'Processing takes too long.'))
    const timer = setTimeout(late, waitMsMax)
    signal?.addEventListener('abort', stop, { once: true })
    const end = this.#listen({ answer: () => resolve(), fail: reject, isRun: false })
    if (signal?.aborted === true) stop()
    if (this.#answered > than) resolve()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      end()
    }
  }

  line(line: string): void {
    this.#lines++
    this.#host.line(line)
  }

  async call(call: unknown): Promise<void> {
    if (++this.#calls > this.#place.callsMax)
      return this.#fail(new TaskFailure('task_crashed', 'It makes too many calls.'))
    try {
      const answer = serialize(await this.#host.call(call))
      this.#answered++
      if (this.#isKept) this.#keep(answer)
      this.#listener?.answer(answer)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Forgets everything. */
  end(): void {
    this.#isKept = false
    this.#answers = []
    this.#place.kept.release(this.#place.workspaceId, this.#bytes)
    this.#bytes = 0
  }

  #keep(answer: Buffer): void {
    const { kept, workspaceId } = this.#place
    const isRoom = kept.add(workspaceId, answer.length)
    if (isRoom) this.#bytes += answer.length
    this.#answers.push(answer)
    if (isRoom && this.#bytes <= keptBytesMax) return
    this.end()
    // It cannot go on without what it would be run again with. Its step is, later.
    if (this.#listener?.isRun !== true) throw new PoolBusy('The waiting tasks of the workspace use too much memory.')
  }

  #listen(listener: Listener): () => void {
    this.#listener = listener
    if (this.#failure !== undefined) listener.fail(this.#failure.error)
    return () => {
      if (this.#listener === listener) this.#listener = undefined
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#listener?.fail(error)
  }
}
