import { inDatabase } from './installation.ts'
import { argumentsOf, positiveOr } from './options.ts'
import { median } from './rates.ts'
import { kinds, Servers, type Cost, type Kind } from './servers/installation.ts'

const help = `Measures one, two and four servers on one Postgres, all of which read and change one workspace.

  node bench/src/servers.ts [SECONDS]

Prints requests a second, the CPU of the servers and of Postgres for a request, locks and connections, and what follows
for a machine of 32 processors. A machine with few processors has no room for more requests a second; but where the CPU
for a request stays the same with the number of servers, throughput grows with processors. SECONDS is the duration of
each measurement, 6 by default.
`

const [givenSeconds] = argumentsOf(help)
const seconds = positiveOr(6, givenSeconds)

/** Up and down again: growing tables and a machine that is less quiet later are the same for each. */
const numbers = [1, 2, 4, 4, 2, 1]
const processors = 32

function tell(kind: Kind, costs: readonly Cost[]): void {
  const valuesOf = (count: number) => {
    const some = costs.filter((cost) => cost.kind === kind && cost.servers === count)
    return (valueOf: (cost: Cost) => number): number => median(some.map(valueOf))
  }
  for (const count of new Set(numbers)) {
    const of = valuesOf(count)
    const seen = (name: keyof Cost['sampled']): string => of(({ sampled }) => sampled[name]).toFixed(1)
    console.log(
      `${kind}, ${count} servers: ${of(({ perSecond }) => perSecond).toFixed(0)}/s, CPU of the servers ` +
        `${of(({ serverUs }) => serverUs).toFixed(0)} µs and of Postgres ` +
        `${of(({ databaseUs }) => databaseUs).toFixed(0)}, log ${of(({ logBytes }) => logBytes).toFixed(0)} bytes; ` +
        `${seen('connections')} connections, ${seen('busy')} busy, waiting for locks ${seen('locked')}, ` +
        `for shared memory ${seen('contended')}, for the disk ${seen('flushing')}`,
    )
  }
  const most = valuesOf(Math.max(...numbers))
  const [serverUs, databaseUs] = [most(({ serverUs: us }) => us), most(({ databaseUs: us }) => us)]
  const perSecond = (processors * 1e6) / (serverUs + databaseUs)
  console.log(
    `${kind}: on ${processors} processors at most ${perSecond.toFixed(0)}/s, which take ` +
      `${Math.ceil((perSecond * serverUs) / 1e6)} for servers; one server at most ${(1e6 / serverUs).toFixed(0)}/s`,
  )
}

await inDatabase(async (url, folder) => {
  const servers = await Servers.open(url, folder)
  const costs: Cost[] = []
  for (const count of numbers) {
    await servers.resize(count)
    for (const kind of kinds) {
      const cost = await servers.measure(kind, seconds)
      costs.push(cost)
      console.error(JSON.stringify(cost))
    }
  }
  await servers.close()
  for (const kind of kinds) tell(kind, costs)
}, 'postgres')
