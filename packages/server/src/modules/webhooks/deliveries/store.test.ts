import { expect, test } from 'vitest'
import { senderOf } from '../../../kernel/actor.ts'
import { chainOfCause } from './store.ts'

test('a delivery that was pending before chains goes on with the chain of its workflow', () => {
  const chain = { sender: senderOf('a-workflow'), depth: 3 }
  expect(chainOfCause({ workflowId: 'a-workflow', depth: 3 })).toEqual(chain)
  expect(chainOfCause(chain)).toEqual(chain)
  expect(chainOfCause(null)).toBeUndefined()
})
