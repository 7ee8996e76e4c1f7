import { expect, test } from 'vitest'
import { dateOf, pageDates } from './page-dates.ts'
import { pages } from './site.ts'

const [page] = pages.filter(({ path }) => path === 'guides/start')
if (page === undefined) throw new Error('there is no quick start')

test('a page whose text has changed gets the day of the build, and the others keep theirs', () => {
  const changed = { ...page, markdown: `${page.markdown}\nA sentence more.` }
  const other = { ...page, path: 'guides/other', markdown: undefined }
  expect(dateOf(changed)).toBeUndefined()
  expect(pageDates([changed, other], '2031-01-01')).toMatch(/^guides\/start [0-9a-f]{12} 2031-01-01\n$/)
  expect(pageDates([page], '2031-01-01')).toMatch(new RegExp(` ${dateOf(page)}\n$`))
})
