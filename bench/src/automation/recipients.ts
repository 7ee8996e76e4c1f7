import type { Running } from './stand.ts'

/** Milliseconds that a page of recipients takes, and a page of the list of persons with as many behind it. */
export type PageTimes = { readonly what: string; readonly recipientsMs: number; readonly listMs: number }

/** The company of all persons, and one of none. */
export type Companies = { readonly ofAll: string; readonly ofNone: string }

const rounds = 5

const middle = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

/** The middle of some times that two requests take in turn, in milliseconds. */
async function timesOf({ call }: Running, paths: readonly [string, string]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++)
    for (const which of [0, 1] as const) {
      const asked = performance.now()
      await call('GET', paths[which])
      times[which].push(performance.now() - asked)
    }
  return [middle(times[0]), middle(times[1])]
}

/** Pages of the recipients of a campaign, beside pages of as many persons; the first of each has indexes built. */
export async function measurePages(
  running: Running,
  campaignId: string,
  count: number,
  companies: Companies,
): Promise<PageTimes[]> {
  const name = 'filter[name][Contains]'
  const pages: readonly (readonly [what: string, recipients: string, list: string])[] = [
    ['first page', '', ''],
    ['page in the middle', `&page[offset]=${count / 2}`, `&page[offset]=${count / 2}`],
    ['one in whose name a text occurs', `&filter[q]=Number ${count - 1}`, `&${name}=Number ${count - 1}`],
    ['a text in all names', '&filter[q]=Reader', `&${name}=Reader`],
    ['two letters in all names', '&filter[q]=um', `&${name}=um`],
    ['all that wait', '&filter[status]=scheduled', `&filter[company_id]=${companies.ofAll}`],
    ['all that have opened, which are none', '&filter[event]=opened', `&filter[company_id]=${companies.ofNone}`],
  ]
  const times: PageTimes[] = []
  for (const [what, recipients, list] of pages) {
    const [recipientsMs, listMs] = await timesOf(running, [
      `/campaigns/${campaignId}/recipients?page[limit]=50${recipients}`,
      `/objects/person/resources?page[limit]=50${list}`,
    ])
    times.push({ what, recipientsMs, listMs })
  }
  return times
}
