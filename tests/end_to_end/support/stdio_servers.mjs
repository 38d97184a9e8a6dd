// Commands of real stdio servers, and of one that behaves oddly.
import { odd } from '../../../simulations/peers/shim.mjs';
import { packageFile } from './everything.mjs';

export const servers = {
  everything: [process.execPath, packageFile('server-everything', 'dist/index.js'), 'stdio'],
  memory: [process.execPath, packageFile('server-memory', 'dist/index.js')],
  filesystem: (folder) => [process.execPath, packageFile('server-filesystem', 'dist/index.js'), folder],
  odd,
};
