"""The protobuf messages of program files, in Paddle's module `fluid.proto`."""
