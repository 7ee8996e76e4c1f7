import { expect, test } from 'vitest'
import * as client from './index.ts'
import * as operations from './operations.ts'

test('exports the operations of every domain', () => {
  expect(client).toMatchObject(operations)
})
