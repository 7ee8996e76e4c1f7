import { describe, expect, test } from 'vitest'
import { suggestion, suggestionOrAllowed } from './nearest.ts'

describe('the nearest name', () => {
  test.each([
    ['fase', ['name', 'phase', 'customer'], 'phase'],
    ['nme', ['phase', 'name'], 'name'],
    ['job_titel', ['name', 'job_title'], 'job_title'],
    ['udpated', ['created', 'updated'], 'updated'],
    ['persn', ['deal', 'person'], 'person'],
  ])('of "%s" among %j is "%s"', (typed, allowed, meant) => {
    expect(suggestion(typed, allowed)).toBe(` Did you mean "${meant}"?`)
  })

  test.each([
    ['fase', ['name', 'date']],
    ['no', ['id']],
    ['qwertyuiop', ['name', 'phase']],
  ])('is not given for "%s", which shares too little with %j', (typed, allowed) => {
    expect(suggestion(typed, allowed)).toBe('')
  })
})

test('lists the allowed names where none is near, at most twelve of them', () => {
  const many = Array.from({ length: 15 }, (_, index) => `field_${index}`)
  expect(suggestionOrAllowed('fase', ['phase'])).toBe(' Did you mean "phase"?')
  expect(suggestionOrAllowed('qwertyuiop', ['name', 'phase'])).toBe(' Allowed: name, phase.')
  expect(suggestionOrAllowed('qwertyuiop', many)).toBe(` Allowed: ${many.slice(0, 12).join(', ')} and 3 more.`)
  expect(suggestionOrAllowed('qwertyuiop', [])).toBe('')
})
