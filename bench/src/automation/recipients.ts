import type { Running } from './stand.ts'

/** Milliseconds that a page of recipients takes, and the same page of the list of all persons. */
export type PageTimes = { readonly what: string; readonly recipientsMs: number; readonly listMs: number }

const rounds = 5

/** The middle of some times that a request takes, in milliseconds. */
async function timeOf({ call }: Running, path: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const asked = performance.now()
    await call('GET', path)
    times.push(performance.now() - asked)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
}

/** Pages of the recipients of a campaign, beside pages of all persons; the first of each has indexes built. */
export async function measurePages(running: Running, campaignId: string, count: number): Promise<PageTimes[]> {
  const name = 'filter[name][Contains]'
  const pages: readonly (readonly [what: string, recipients: string, list: string])[] = [
    ['first page', '', ''],
    ['page in the middle', `&page[offset]=${count / 2}`, `&page[offset]=${count / 2}`],
    ['one in whose name a text occurs', `&filter[q]=Number ${count - 1}`, `&${name}=Number ${count - 1}`],
    ['a text in all names', '&filter[q]=Reader', `&${name}=Reader`],
    ['two letters in all names', '&filter[q]=um', `&${name}=um`],
    ['all that wait', '&filter[status]=scheduled', ''],
    ['all that have opened, which are none', '&filter[event]=opened', `&${name}=zzzz`],
  ]
  const times: PageTimes[] = []
  for (const [what, recipients, list] of pages)
    times.push({
      what,
      recipientsMs: await timeOf(running, `/campaigns/${campaignId}/recipients?page[limit]=50${recipients}`),
      listMs: await timeOf(running, `/objects/person/resources?page[limit]=50${list}`),
    })
  return times
}
