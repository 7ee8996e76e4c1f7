import { expect, test } from 'vitest'
import { readSample } from './sample.ts'

test('finds the files of the sample data', async () => {
  const sample = await readSample()
  expect(Object.values(sample).every((part) => Object.keys(part).length > 0)).toBe(true)
})
