// A client of the suite, played through a gateway in front of the suite's server.
import { Gate } from '../../../simulations/peers/gate.mjs';

/** `play(url)` against a gateway of this configuration; its log is told if that fails. */
export async function throughGate(binary, config, options, play) {
  const gate = await Gate.start(binary, config, options);
  try {
    await play(gate.url);
  } catch (error) {
    console.error(gate.log());
    throw error;
  } finally {
    await gate.end();
  }
}
