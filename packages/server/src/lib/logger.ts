import { pino, type DestinationStream, type Logger } from 'pino'

/** Log lines that wait for a slow reader; beyond that they are dropped. */
const logBytesMax = 16 * 1024 ** 2

/** Fields of each request's log line that its text already contains. */
const requestFields = ['method', 'path', 'status', 'ms', 'operation']

type Line = Readonly<Record<string, unknown>>

/** The log on standard error: JSON lines for programs, coloured lines for a person at a terminal. */
export async function createLogger(level: string, isTerminal: boolean): Promise<Logger> {
  const stderr = pino.destination({ dest: 2, sync: false, maxLength: logBytesMax })
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isTerminal ? await readable(stderr) : stderr,
  )
}

/** Loaded only for terminals: servers in containers start without it. */
async function readable(destination: DestinationStream): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    destination,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: requestFields.join(','),
    messageFormat: (line: Line) => (line['msg'] === 'request' ? requestText(line) : String(line['msg'])),
  })
}

const requestText = ({ method, path, status, ms }: Line): string =>
  `${String(method)} ${String(path)} ${String(status)} in ${String(ms)} ms`
