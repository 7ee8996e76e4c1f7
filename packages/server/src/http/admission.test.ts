import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../kernel/errors.ts'
import { Admission } from './admission.ts'
import { heapBytesMax } from '../lib/heap.ts'

const responseTo = () => new ServerResponse(new IncomingMessage(new Socket()))

function setUp(requestsMax = 1000) {
  const time = { ms: 1e6 }
  const admission = new Admission(requestsMax, { monotonicMs: () => time.ms })
  const enter = (count = 1, visitor = { network: '192.0.2.1', claimsCredential: true }) =>
    Array.from({ length: count }, () => {
      const response = responseTo()
      admission.enter(response, visitor)
      return response
    })
  /** Looks as often as it should, for so long. */
  const pass = (ms: number, everyMs = 100) => {
    for (let passed = 0; passed < ms; passed += everyMs) {
      time.ms += everyMs
      admission.look()
    }
  }
  return { admission, time, enter, pass }
}

function refusalOf(work: () => unknown): Failure | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error as Failure
  }
}

const answered = (response: ServerResponse, bytes: number) => response.end('x'.repeat(bytes))

const large = Math.floor(heapBytesMax() / 16)

describe('requests at work', () => {
  test('are as many as may be; one that has been answered makes room', () => {
    const { admission, enter } = setUp(20)
    const inside = enter(20)
    const refusal = refusalOf(() => enter())
    expect([refusal?.code, refusal?.status, refusal?.retryAfterSeconds]).toEqual(['overloaded', 503, 1])
    inside[3]?.emit('close')
    expect(admission.requests).toBe(19)
    enter()
    expect(refusalOf(() => enter())?.code).toBe('overloaded')
    expect(admission.refusals).toEqual({ requests: 2, anonymous: 0, bytes: 0, event_loop: 0, heap: 0 })
  })

  test('may be eight however few are allowed, so that the process goes on', () => {
    const { enter } = setUp(1)
    enter(8)
    expect(refusalOf(() => enter())?.code).toBe('overloaded')
  })
})

const from = (network: string) => ({ network, claimsCredential: false })

describe('requests without a credential', () => {
  test('take a share of the places, and each network a share of that', () => {
    const { admission, enter } = setUp(100)
    const [first] = enter(25, from('192.0.2.1'))
    expect(refusalOf(() => enter(1, from('192.0.2.1')))?.code).toBe('overloaded')
    enter(25, from('192.0.2.2'))
    expect(refusalOf(() => enter(1, from('192.0.2.3')))?.code).toBe('overloaded')
    enter(40)
    expect(admission.refusals.anonymous).toBe(2)
    first?.emit('close')
    enter(1, from('192.0.2.1'))
  })

  test('that turn out to have none take such a place once', () => {
    const { admission, enter } = setUp(8)
    const [one, two, three] = enter(3) as [ServerResponse, ServerResponse, ServerResponse]
    for (const response of [one, one, two]) admission.isAnonymous(response)
    expect(refusalOf(() => admission.isAnonymous(three))?.code).toBe('overloaded')
  })
})

describe('bodies', () => {
  test('take room until their requests are answered', () => {
    const { admission, enter } = setUp()
    const [one, two, three] = enter(3) as [ServerResponse, ServerResponse, ServerResponse]
    admission.hold(one, large / 4)
    admission.hold(two, large / 4)
    expect(refusalOf(() => admission.hold(three, large / 4))?.code).toBe('overloaded')
    admission.hold(three, 500_000)
    expect(admission.heldBytes).toBe((large / 4) * 2 + 500_000)
    for (const response of [one, two, three]) response.emit('close')
    expect(admission.heldBytes).toBe(0)
  })

  test('one that is alone may be larger, one beside it not, and none takes everything', () => {
    const { admission, enter } = setUp()
    const [one, two] = enter(2) as [ServerResponse, ServerResponse]
    expect(refusalOf(() => admission.hold(one, large * 3))?.code).toBe('overloaded')
    admission.hold(one, large * 1.5)
    expect(refusalOf(() => admission.hold(two, 500_000))?.code).toBe('overloaded')
    admission.hold(two, 10_000)
    expect(admission.refusals.bytes).toBe(2)
  })
})

describe('answers that are not read', () => {
  test('count as held, and are given up after half a minute', () => {
    const { admission, enter, pass } = setUp()
    const [response] = enter() as [ServerResponse]
    answered(response, 1_000_000)
    pass(100)
    expect(admission.heldBytes).toBeGreaterThanOrEqual(1_000_000)
    pass(29_000)
    expect(response.destroyed).toBe(false)
    pass(2000)
    expect(response.destroyed).toBe(true)
  })

  test('are given up after five seconds where there is no more room, and until then no other request is let in', () => {
    const { admission, enter, pass } = setUp()
    const responses = enter(9)
    for (const response of responses) answered(response, Math.ceil(large / 8))
    pass(100)
    expect(refusalOf(() => enter())?.code).toBe('overloaded')
    expect(admission.refusals.bytes).toBe(1)
    pass(5200)
    for (const response of responses) expect(response.destroyed).toBe(true)
  })

  const countedWhenMade =
    'count from the moment in which they are made, and those that can be asked for again make no more of them'
  test(countedWhenMade, () => {
    const { admission, enter } = setUp()
    const responses = enter(5)
    const [first, second, third, reading, changing] = responses as [
      ServerResponse,
      ServerResponse,
      ServerResponse,
      ServerResponse,
      ServerResponse,
    ]
    // However large one is, it is sent where there is room before it.
    admission.holdAnswer(first, large / 2, true)
    admission.holdAnswer(second, large, true)
    expect(admission.heldBytes).toBe(large / 2 + large)
    expect(refusalOf(() => admission.holdAnswer(reading, 20_000, true))?.code).toBe('overloaded')
    admission.holdAnswer(reading, 10_000, true)
    // The response shows the change.
    admission.holdAnswer(changing, 20_000, false)
    second.emit('close')
    admission.holdAnswer(third, 20_000, true)
    expect(admission.heldBytes).toBe(large / 2 + 40_000)
    for (const response of responses) response.emit('close')
    expect(admission.heldBytes).toBe(0)
  })

  test('count while they are compressed too, and less as they are read', () => {
    const { admission, enter, pass } = setUp()
    const [response] = enter() as [ServerResponse]
    admission.holdAnswer(response, 1_000_000, true)
    pass(100)
    expect(admission.heldBytes).toBe(1_000_000)
    answered(response, 50_000)
    pass(100)
    expect(admission.heldBytes).toBeLessThan(60_000)
  })

  test('of requests that are still at work are none', () => {
    const { enter, pass } = setUp()
    const [response] = enter() as [ServerResponse]
    pass(60_000, 1000)
    expect(response.destroyed).toBe(false)
  })
})

describe('an event loop that comes late', () => {
  test('once is one long piece of work', () => {
    const { enter, pass } = setUp()
    enter(10)
    pass(1000)
    pass(900, 900)
    expect(refusalOf(() => enter())).toBeUndefined()
    pass(100)
    expect(refusalOf(() => enter())).toBeUndefined()
  })

  test('again and again refuses, until it is in time', () => {
    const { admission, enter, pass } = setUp()
    enter(10)
    pass(1000)
    pass(1800, 900)
    expect(refusalOf(() => enter())?.code).toBe('overloaded')
    expect(admission.refusals.event_loop).toBe(1)
    pass(100)
    enter()
  })
})

describe('an overload', () => {
  test('is told to the load balancer after ten seconds, and no longer once it is over', () => {
    const { admission, time, enter } = setUp(8)
    enter(8)
    for (let second = 0; second <= 10; second++) {
      refusalOf(() => enter())
      expect(admission.isOverloadedForLong()).toBe(false)
      time.ms += 1000
    }
    refusalOf(() => enter())
    expect(admission.isOverloadedForLong()).toBe(true)
    time.ms += 2500
    expect(admission.isOverloadedForLong()).toBe(false)
    refusalOf(() => enter())
    expect(admission.isOverloadedForLong(), 'a new one begins anew').toBe(false)
  })
})
